"""Bodies that move and turn freely in space, what joins them and what acts between them."""

from alegear.system.spatial.bushing import Bushing as Bushing
from alegear.system.spatial.bushing import HingeTorque as HingeTorque
from alegear.system.spatial.bushing import PointLoad as PointLoad
from alegear.system.spatial.flexible_inertia import FlexibleInertia as FlexibleInertia
from alegear.system.spatial.floating_body import FloatingBody as FloatingBody
from alegear.system.spatial.floating_body import rigid_inertia as rigid_inertia
from alegear.system.spatial.hinge_angle import HingeAngle as HingeAngle
from alegear.system.spatial.joints import AcrossGuide as AcrossGuide
from alegear.system.spatial.joints import Coincidence as Coincidence
from alegear.system.spatial.joints import JointDefinition as JointDefinition
from alegear.system.spatial.joints import Perpendicularity as Perpendicularity
from alegear.system.spatial.joints import cylindrical as cylindrical
from alegear.system.spatial.joints import fixed as fixed
from alegear.system.spatial.joints import planar as planar
from alegear.system.spatial.joints import prescribed_revolute as prescribed_revolute
from alegear.system.spatial.joints import prismatic as prismatic
from alegear.system.spatial.joints import revolute as revolute
from alegear.system.spatial.joints import spherical as spherical
from alegear.system.spatial.point_spring import PointSpring as PointSpring
