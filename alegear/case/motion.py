"""Drive and load, shafts and supports, and the analysis, from the tables of a case file to SI units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.case import schema
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import MISSING, shown
from alegear.case.modal import ModalAnalysis
from alegear.case.operation import Operation
from alegear.case.static import StaticAnalysis
from alegear.case.sweep import SweepAnalysis
from alegear.case.tables import Section
from alegear.case.units import G_MM, RPM
from alegear.contact.numbering import GEARS
from alegear.dynamics.joints import TorsionShaft
from alegear.dynamics.support import Support
from alegear.errors import Fault

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
        speeds = self._sweep_table(analysis) or self._table(table, "pinion_speed_table_s_rpm", "pinion_speed_rpm")
        if speeds is not None:
            speed = max(rpm for _, rpm in speeds)
        torques = self._table(table, "pinion_torque_table_s_Nm", "pinion_torque_Nm")
        if torques is not None:
            torque = max((moment for _, moment in torques), key=abs)
        elif torque is None:
            described = schema.OperationTable.model_fields["pinion_torque_Nm"].description
            self._fault("operation.pinion_torque_Nm", MISSING, "the key is needed", f"give the {described}")
            return None
        with self._of_table("operation", schema.OperationTable):
            return Operation(
                driver=table.driver,
                pinion_torque=torque,
                pinion_speed=None if speed is None else speed * RPM,
                speed_table=None if speeds is None else tuple((t, rpm * RPM) for t, rpm in speeds),
                torque_table=None if torques is None else tuple((t, moment) for t, moment in torques),
                gravity=tuple(table.gravity_m_s2 or (0.0, 0.0, 0.0)),
            )
        return None

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

    def _table(self, table: schema.OperationTable, key: str, instead_of: str) -> list[list[float]] | None:
        """Points of a table over time, which stands in place of another key."""
        points: list[list[float]] | None = getattr(table, key)
        if points is not None and self._given("operation", instead_of)[1]:
            self._fault(f"operation.{key}", shown(points[0]), f"excludes {instead_of}", "leave out one of the two")
        return points

    def shafts(self, table: Any) -> tuple[TorsionShaft | None, TorsionShaft | None]:
        given = [None if table is None else getattr(table, gear) for gear in GEARS]
        shafts = [
            None
            if shaft is None
            else TorsionShaft(
                stiffness=shaft.stiffness_Nm_per_rad,
                damping=shaft.damping_Nms_per_rad,
                inertia=shaft.inertia_kg_m2 or 0.0,
            )
            for shaft in given
        ]
        return shafts[0], shafts[1]


class SupportSection(Section):
    """``[supports]``."""

    def supports(self, tables: dict[str, Any]) -> tuple[Support | None, Support | None]:
        """Read the supports of both gears; None is a hinge."""
        supports: list[Support | None] = []
        for gear in GEARS:
            table = getattr(tables["supports"], gear) if "supports" in tables else schema.SupportTable()
            where = f"supports.{gear}"
            if table.kind == "hinge":
                self._without_bearing(where, table)
                supports.append(None)
                continue
            supports.append(self._bearing(gear, where, table))
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
            with self._of_table("analysis", schema.StaticTable):
                return StaticAnalysis(**table.model_dump(exclude={"kind"}))
        if isinstance(table, schema.ModalTable):
            return ModalAnalysis(**table.model_dump(exclude={"kind"}))
        if isinstance(table, schema.MotionTable):
            with self._of_table("analysis", type(table)):
                return self._motion(table)
        return None

    def _motion(self, table: schema.MotionTable) -> DynamicAnalysis:
        if table.time_step_s is not None and table.tolerance is not None:
            limit = "excludes tolerance: a fixed step is not controlled"
            self._fault("analysis.time_step_s", shown(table.time_step_s), limit, "leave out one of the two")
        if table.method == "backward-euler" and "rho_inf" in table.model_fields_set:
            limit = f'has no effect with method = "{table.method}"'
            self._fault("analysis.rho_inf", shown(table.rho_inf), limit, "leave it out")
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

    def _sweep(self, table: schema.SweepTable, common: dict[str, Any]) -> SweepAnalysis:
        one_way = table.duration_s
        if table.speed_from_rpm == table.speed_to_rpm:
            limit = "must differ from speed_from_rpm"
            self._fault("analysis.speed_to_rpm", shown(table.speed_to_rpm), limit, 'or write kind = "dynamic"')
        if self._given("output", "fields")[0] is True:
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
        return FULL_MODES if given is None else given
