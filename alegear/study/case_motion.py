"""Drive and load, shafts and supports, and the analysis, from the tables of a case file to SI units."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.dynamics.generalized_alpha import SCHEMES
from alegear.dynamics.joints import TorsionShaft
from alegear.dynamics.support import Support
from alegear.errors import Fault
from alegear.geometry.gear_pair import GearPair
from alegear.study import case_schema as schema
from alegear.study.case_faults import MISSING, shown
from alegear.study.case_limits import shortest_contact_interval
from alegear.study.case_tables import G_MM, GEARS, RPM, Section
from alegear.study.settings import DynamicAnalysis, ModalAnalysis, Operation, StaticAnalysis, SweepAnalysis

# of each wheel, where a case asks for the full inertia: they carry about a third of the deflection of a solid gear
FULL_MODES = 24
MODAL_DAMPING = 0.01  # a choice, as are the other damping ratios: they are for experience to give
SETTLING = 0.05  # of one way of a sweep


class OperationSection(Section):
    """``[operation]`` and ``[shafts]``."""

    def operation(self, table: Any, analysis: Any) -> Operation | None:
        if table is None:
            return None
        torque, speed = table.pinion_torque_Nm, table.pinion_speed_rpm
        speeds = self._sweep_table(analysis) or self._speed_table(table, analysis)
        if speeds is not None:
            speed = max(rpm for _, rpm in speeds)
        torques = self._torque_table(table, analysis)
        if torques is not None:
            torque = max((moment for _, moment in torques), key=abs)
        elif torque is None:
            described = schema.OperationTable.model_fields["pinion_torque_Nm"].description
            self._fault("operation.pinion_torque_Nm", MISSING, "the key is needed", f"give the {described}")
            return None
        if torque == 0.0 and isinstance(analysis, schema.StaticTable | schema.ModalTable):
            self._fault(
                "operation.pinion_torque_Nm",
                shown(torque),
                f"must not be 0 in a {analysis.kind} analysis",
                "give the torque on the pinion shaft in N m, negative to load the back flanks",
            )
        for key, value in (("pinion_torque_Nm", torque), ("pinion_speed_rpm", speed or 0.0)):
            if 0.0 < abs(value) < schema.LEAST:
                self._fault(
                    f"operation.{key}",
                    shown(value),
                    f"must be at least {schema.LEAST:g} in magnitude",
                    "check the unit, or write 0",
                )
        if isinstance(analysis, schema.DynamicTable) and not speed:
            self._fault(
                "operation.pinion_speed_rpm",
                self._shown_or_missing("operation", "pinion_speed_rpm"),
                "must be greater than 0 in a dynamic analysis",
                "give the speed of the pinion in rpm",
            )
        return Operation(
            driver=table.driver,
            pinion_torque=torque,
            pinion_speed=speed * RPM if speed else None,
            speed_table=None if speeds is None else tuple((t, rpm * RPM) for t, rpm in speeds),
            torque_table=None if torques is None else tuple((t, moment) for t, moment in torques),
            gravity=tuple(table.gravity_m_s2 or (0.0, 0.0, 0.0)),
        )

    def _sweep_table(self, analysis: Any) -> list[list[float]] | None:
        """Speeds of a sweep [s, rpm]: there in a straight line, and back."""
        if not isinstance(analysis, schema.SweepTable):
            return None
        for key in ("pinion_speed_rpm", "pinion_speed_table_s_rpm"):
            value, found = self._given("operation", key)
            if found:
                self._fault(f"operation.{key}", shown(value), "excludes speed_from_rpm of a sweep", "leave it out")
        end = analysis.duration_s
        there = [[0.0, analysis.speed_from_rpm], [end, analysis.speed_to_rpm]]
        return [*there, [2.0 * end, analysis.speed_from_rpm]] if analysis.and_back else there

    def _speed_table(self, table: schema.OperationTable, analysis: Any) -> list[list[float]] | None:
        points = table.pinion_speed_table_s_rpm
        if points is None:
            return None
        key = "operation.pinion_speed_table_s_rpm"
        self._over_time(key, points, analysis, instead_of="pinion_speed_rpm")
        if not any(rpm > 0.0 for _, rpm in points):
            self._fault(key, shown(points[0]), "needs a speed greater than 0", "give the speed of the pinion in rpm")
        if isinstance(analysis, schema.DynamicTable) and analysis.ramp_s > 0.0:
            self._fault("analysis.ramp_s", shown(analysis.ramp_s), "excludes pinion_speed_table_s_rpm", "leave it out")
        return points

    def _torque_table(self, table: schema.OperationTable, analysis: Any) -> list[list[float]] | None:
        points = table.pinion_torque_table_s_Nm
        if points is None:
            return None
        key = "operation.pinion_torque_table_s_Nm"
        self._over_time(key, points, analysis, instead_of="pinion_torque_Nm")
        torques = [torque for _, torque in points]
        if torques[0] * max(torques, key=abs) < 0.0:
            # the run starts in equilibrium on the flanks that carry the largest torque
            limit = f"must begin with 0 or the sign of its largest torque, {max(torques, key=abs):g}"
            self._fault(key, shown(points[0]), limit, "put a point with torque 0.0 first")
        law = self._given("contact", "law")[0]
        if min(torques) * max(torques) < 0.0 and law == "penalty":
            limit = 'must not change its sign with law = "penalty", which knows the loaded flanks only'
            self._fault(key, shown(points[0]), limit, 'write law = "hertz"')
        return points

    def _over_time(self, key: str, points: list[list[float]], analysis: Any, *, instead_of: str) -> None:
        """Check the times of a table that stands in place of another key."""
        times = [t for t, _ in points]
        if self._given("operation", instead_of)[1]:
            self._fault(key, shown(points[0]), f"excludes {instead_of}", "leave out one of the two")
        if times[0] != 0.0 or any(b <= a for a, b in pairwise(times)):
            self._fault(key, shown(times[0]), "times must rise from 0", "put the points in order, the first at 0.0")
        if not isinstance(analysis, schema.DynamicTable):
            kind = "static" if analysis is None else analysis.kind
            self._fault(key, shown(points[0]), f"has no effect in a {kind} analysis", "leave it out")
        elif times[-1] < analysis.duration_s:
            limit = f"must reach duration_s = {analysis.duration_s}"
            self._fault(key, shown(points[-1]), limit, "add a point, or shorten duration_s")

    def shafts(self, table: Any, operation: Operation | None) -> tuple[TorsionShaft | None, TorsionShaft | None]:
        shafts: list[TorsionShaft | None] = []
        for gear in GEARS:
            given = None if table is None else getattr(table, gear)
            if given is None or operation is None:
                shafts.append(None)
                continue
            key, inertia = f"shafts.{gear}.inertia_kg_m2", given.inertia_kg_m2
            if gear == operation.driver and inertia is not None:
                limit = f'has no effect at the driver (driver = "{gear}"): that end turns as prescribed'
                self._fault(key, shown(inertia), limit, "leave it out; supports.*.added_inertia_kg_m2 sits on the gear")
            elif gear != operation.driver and inertia is None:
                limit = "is needed at the driven gear: its shaft ends at the load"
                self._fault(key, MISSING, limit, "give the inertia of the load, or leave out the shaft")
            torque = abs(operation.pinion_torque) * (1.0 if gear == "pinion" else self._ratio())
            twist = torque / given.stiffness_Nm_per_rad
            if twist > schema.LARGEST_TWIST:
                limit = (
                    f"twists by {twist:.3g} rad under {torque:.4g} N m, must be at most {schema.LARGEST_TWIST:g} rad"
                )
                key = f"shafts.{gear}.stiffness_Nm_per_rad"
                self._fault(key, shown(given.stiffness_Nm_per_rad), limit, "check the unit, N m per rad")
            shafts.append(
                TorsionShaft(
                    stiffness=given.stiffness_Nm_per_rad, damping=given.damping_Nms_per_rad, inertia=inertia or 0.0
                )
            )
        return shafts[0], shafts[1]

    def _ratio(self) -> float:
        """Teeth of the wheel over those of the pinion; 1 where they are not given."""
        teeth = [self._given(gear, "teeth")[0] for gear in GEARS]
        usable = all(isinstance(z, int) and not isinstance(z, bool) and z > 0 for z in teeth)
        return teeth[1] / teeth[0] if usable else 1.0


class SupportSection(Section):
    """``[supports]``."""

    def supports(self, tables: dict[str, Any], law: str | None) -> tuple[Support | None, Support | None]:
        """Read the supports of both gears; None is a hinge."""
        supports: list[Support | None] = []
        for gear in GEARS:
            table = getattr(tables["supports"], gear) if "supports" in tables else schema.SupportTable()
            where = f"supports.{gear}"
            if table.kind == "hinge":
                self._without_bearing(where, table)
                supports.append(None)
                continue
            if law == "penalty":
                limit = 'is not in this version with law = "penalty"'
                self._fault(f"{where}.kind", '"bearing"', limit, 'write law = "hertz", or kind = "hinge"')
            supports.append(self._bearing(gear, where, table))
        operation = tables.get("operation")
        if operation is not None and operation.gravity_m_s2 is not None and not any(supports):
            limit = "has no effect on gears on hinges"
            key = "operation.gravity_m_s2"
            self._fault(key, shown(operation.gravity_m_s2), limit, 'leave it out, or write kind = "bearing"')
        return supports[0], supports[1]

    def _without_bearing(self, where: str, table: schema.SupportTable) -> None:
        """Refuse what a hinge would ignore."""
        for key, value in table.model_dump(exclude={"kind", "added_inertia_kg_m2"}, exclude_unset=True).items():
            remedy = 'leave it out, or write kind = "bearing"'
            self._fault(f"{where}.{key}", shown(value), 'has no effect with kind = "hinge"', remedy)

    def _bearing(self, gear: str, where: str, table: schema.SupportTable) -> Support | None:
        stiffness = self._directions(
            where, table, "stiffness_matrix_N_m_rad", ("stiffness_N_per_m", "tilt_stiffness_Nm_per_rad")
        )
        damping = self._directions(
            where, table, "damping_matrix_N_m_rad_s", ("damping_Ns_per_m", "tilt_damping_Nms_per_rad")
        )
        if stiffness is None or damping is None:
            return None
        try:
            return Support(
                name=gear,
                stiffness=stiffness,
                damping=damping,
                added_mass=table.added_mass_kg,
                added_tilt_inertia=table.added_tilt_inertia_kg_m2,
                unbalance=table.unbalance_g_mm * G_MM,
            )
        except Fault as fault:
            self._fault(f"[{where}]", str(fault.value), f"{fault.quantity} must be {fault.limit}", fault.remedy)
            return None

    def _directions(
        self, where: str, table: schema.SupportTable, matrix_key: str, keys: tuple[str, str]
    ) -> NDArray[np.float64] | None:
        """Return a matrix (5, 5) from one of 6 x 6, or from the values on its diagonal; None with a fault."""
        matrix = getattr(table, matrix_key)
        if matrix is not None:
            for key in keys:
                if (value := getattr(table, key)) is not None:
                    self._fault(f"{where}.{key}", shown(value), f"excludes {matrix_key}", "leave out one of the two")
            whole = np.array(matrix)
            about_axis = np.concatenate([whole[5], whole[:, 5]])
            if np.any(about_axis != 0.0):
                limit = "must be 0 in the last row and column: the gear turns about z"
                worst = about_axis[np.abs(about_axis).argmax()]
                self._fault(f"{where}.{matrix_key}", shown(float(worst)), limit, "give torsion in [shafts]")
            return np.ascontiguousarray(whole[:5, :5])
        diagonal: list[float] = []
        for key, count in zip(keys, (3, 2), strict=True):
            value = getattr(table, key)
            if value is None and matrix_key.startswith("stiffness"):
                what = schema.SupportTable.model_fields[key].description
                self._fault(f"{where}.{key}", MISSING, 'the key is needed with kind = "bearing"', f"give the {what}")
                return None
            diagonal += value or [0.0] * count
        return np.diag(diagonal)


class AnalysisSection(Section):
    """``[analysis]``."""

    def analysis(self, table: Any) -> StaticAnalysis | DynamicAnalysis | ModalAnalysis | None:
        if isinstance(table, schema.StaticTable):
            positions = table.positions_per_pitch * table.pitches
            if positions > schema.MOST_POSITIONS:
                self._fault(
                    "analysis.positions_per_pitch",
                    shown(table.positions_per_pitch),
                    f"positions_per_pitch x pitches = {positions} must be at most {schema.MOST_POSITIONS}",
                    "use fewer positions or pitches",
                )
            return StaticAnalysis(**table.model_dump(exclude={"kind"}))
        if isinstance(table, schema.ModalTable):
            return ModalAnalysis(**table.model_dump(exclude={"kind"}))
        return self._motion(table) if isinstance(table, schema.MotionTable) else None

    def _motion(self, table: schema.MotionTable) -> DynamicAnalysis:
        self._times(table)
        least = SCHEMES[table.method].LEAST_RADIUS
        if table.method == "backward-euler" and "rho_inf" in table.model_fields_set:
            limit = f'has no effect with method = "{table.method}"'
            self._fault("analysis.rho_inf", shown(table.rho_inf), limit, "leave it out")
        elif table.rho_inf < least:
            limit = f'must be at least {least:g} with method = "{table.method}"'
            self._fault("analysis.rho_inf", shown(table.rho_inf), limit, 'use 0.8, or method = "generalized-alpha"')
        common: dict[str, Any] = {
            "tolerance": 1e-4 if table.tolerance is None else table.tolerance,
            "time_step": table.time_step_s,
            "method": table.method,
            "rho_inf": table.rho_inf,
            "mesh_damping_ratio": table.mesh_damping_ratio,
            "output_every": table.output_every_s,
            "tooth_change_threshold": table.tooth_change_threshold,
            "normal_modes": self._normal_modes(table),
            "modal_damping_ratio": MODAL_DAMPING if table.modal_damping_ratio is None else table.modal_damping_ratio,
        }
        if isinstance(table, schema.SweepTable):
            return self._sweep(table, common)
        assert isinstance(table, schema.DynamicTable)
        return DynamicAnalysis(duration=table.duration_s, ramp=table.ramp_s, **common)

    def _times(self, table: schema.MotionTable) -> None:
        """Check steps and spacings against the duration."""
        if table.time_step_s is not None and table.tolerance is not None:
            self._fault(
                "analysis.time_step_s",
                shown(table.time_step_s),
                "excludes tolerance: a fixed step is not controlled",
                "leave out one of the two",
            )
        for key in ("ramp_s", "settling_s", "output_every_s", "time_step_s"):
            value = getattr(table, key, None)
            if value is not None and value > table.duration_s:
                self._fault(
                    f"analysis.{key}", shown(value), f"must be at most duration_s = {table.duration_s}", "shorten it"
                )
        for key in ("output_every_s", "time_step_s"):
            value = getattr(table, key)
            if value is not None and table.duration_s > schema.MOST_STEPS * value:
                self._fault(
                    f"analysis.{key}",
                    shown(value),
                    f"duration_s / {key} = {table.duration_s / value:.4g} must be at most {schema.MOST_STEPS}",
                    f"increase {key} or shorten duration_s",
                )

    def _sweep(self, table: schema.SweepTable, common: dict[str, Any]) -> SweepAnalysis:
        one_way = table.duration_s
        if table.speed_from_rpm == table.speed_to_rpm:
            limit = "must differ from speed_from_rpm"
            self._fault("analysis.speed_to_rpm", shown(table.speed_to_rpm), limit, 'or write kind = "dynamic"')
        if self.file.raw.get("output", {}).get("fields"):
            self._fault("output.fields", "true", "has no effect in a sweep", 'leave it out, or write kind = "dynamic"')
        return SweepAnalysis(
            duration=2.0 * one_way if table.and_back else one_way,
            turn=one_way if table.and_back else None,
            settling=SETTLING * one_way if table.settling_s is None else table.settling_s,
            pitches=table.pitches_per_point,
            **common,
        )

    def _normal_modes(self, table: schema.MotionTable) -> int:
        """Read how many normal modes the wheels have, 0 without elastic inertia."""
        full, given = table.inertia == "full", table.normal_modes
        if given is not None and not full and "inertia" in table.model_fields_set:
            self._fault("analysis.normal_modes", shown(given), 'excludes inertia = "simplified"', 'write "full"')
        if not full and given is None:
            if table.modal_damping_ratio is not None:
                key, value = "analysis.modal_damping_ratio", shown(table.modal_damping_ratio)
                self._fault(key, value, "has no effect without normal modes", 'write inertia = "full"')
            return 0
        if self.file.raw.get("contact", {}).get("law") == "penalty":
            limit = 'is not in this version with law = "penalty"'
            self._fault("analysis.inertia", '"full"', limit, 'write law = "hertz", or inertia = "simplified"')
        for gear in GEARS:
            if self._given("supports", f"{gear}.kind")[0] == "bearing":
                limit = f'is not in this version with a bearing (supports.{gear}.kind = "bearing")'
                self._fault("analysis.inertia", '"full"', limit, 'write kind = "hinge", or inertia = "simplified"')
        return FULL_MODES if given is None else given

    def time_step(self, analysis: Any, pair: GearPair | None, operation: Operation | None) -> None:
        """Refuse a fixed step in which a state of contact may come and go."""
        if not isinstance(analysis, DynamicAnalysis) or analysis.time_step is None or pair is None:
            return
        if operation is None or not operation.pinion_speed:
            return
        shortest = shortest_contact_interval(pair, operation.pinion_speed)
        if analysis.time_step > shortest:
            limit = (
                f"must be at most {shortest:.3g}, the shortest time between a tooth pair that comes into mesh and one "
                "that leaves it at this speed"
            )
            self._fault("analysis.time_step_s", shown(analysis.time_step), limit, "shorten it, or give a tolerance")
