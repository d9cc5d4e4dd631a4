"""Contact and friction, from the tables of a case file to SI units."""

from __future__ import annotations

from typing import Any

from alegear.contact.law import Friction, PenaltyLaw
from alegear.errors import Fault
from alegear.study import case_schema as schema
from alegear.study.case_faults import shown
from alegear.study.case_tables import MM, Section
from alegear.study.settings import Operation


class ContactSection(Section):
    """``[contact]``."""

    def contact(
        self, table: Any, operation: Operation | None, analysis: Any
    ) -> tuple[PenaltyLaw | None, Friction | None]:
        if table is None:
            return None, None
        self._without_effect(table, analysis)
        penalty = friction = None
        given = table.penalty.model_dump(exclude_none=True)
        exponent = given.get("exponent", 1.0)
        units = {
            # the pressure in MPa at a penetration in mm: MPa / mm^e
            "stiffness_N_per_mm3": ("stiffness", 1e6 * MM**-exponent),
            "damping_Ns_per_mm3": ("damping", 1e9),
        }
        try:
            penalty = PenaltyLaw(**{units.get(k, (k, 1))[0]: v * units.get(k, (k, 1))[1] for k, v in given.items()})
        except Fault as fault:
            self._fault("[contact.penalty]", str(fault.value), f"{fault.quantity} must be {fault.limit}", fault.remedy)
        names = {
            "mu_static": "mu_static",
            "mu_dynamic": "mu_dynamic",
            "transition_speed_static_m_per_s": "v_static",
            "transition_speed_dynamic_m_per_s": "v_dynamic",
        }
        values = {si: getattr(table, key) for key, si in names.items() if getattr(table, key) is not None}
        if table.friction == "none":
            values = {}  # refused above
        elif table.friction == "coulomb" and "v_static" in values:
            # it has no second transition; the values must rise all the same
            values["v_dynamic"] = 10.0 * values["v_static"]
        try:
            friction = Friction(kind=table.friction, **values)
        except Fault as fault:
            self._fault("[contact]", str(fault.value), f"{fault.quantity} must be {fault.limit}", fault.remedy)
        if table.friction == "velocity" and operation is not None and not operation.pinion_speed:
            self._fault(
                "operation.pinion_speed_rpm",
                self._shown_or_missing("operation", "pinion_speed_rpm"),
                'friction = "velocity" needs a speed greater than 0',
                "give the speed of the pinion in rpm",
            )
        return penalty, friction

    def _without_effect(self, table: schema.ContactTable, analysis: Any) -> None:
        """Refuse values of ``[contact]`` that would be ignored."""
        if table.slices is not None and table.law == "penalty":
            self._fault("contact.slices", shown(table.slices), 'has no effect with law = "penalty"', "leave it out")
        if table.law == "hertz":
            for key, value in table.penalty.model_dump(exclude_none=True).items():
                self._fault(
                    f"contact.penalty.{key}",
                    shown(value),
                    'has no effect with law = "hertz"',
                    'leave it out, or write law = "penalty" in [contact]',
                )
        damping = table.penalty.damping_Ns_per_mm3
        if isinstance(analysis, schema.ModalTable) and analysis.normal_modes and table.law == "penalty":
            self._fault(
                "analysis.normal_modes",
                shown(analysis.normal_modes),
                'goes with law = "hertz" only, which knows the compliance of its loaded points',
                'leave it out, or write law = "hertz" in [contact]',
            )
        if damping and isinstance(analysis, schema.StaticTable | schema.ModalTable):
            self._fault(
                "contact.penalty.damping_Ns_per_mm3",
                shown(damping),
                f"has no effect in a {analysis.kind} analysis",
                'leave it out, or write kind = "dynamic"',
            )
        unused = {
            "none": ("mu_static", "mu_dynamic", "transition_speed_static_m_per_s", "transition_speed_dynamic_m_per_s"),
            "coulomb": ("mu_static", "transition_speed_dynamic_m_per_s"),
            "velocity": (),
        }[table.friction]
        for key in unused:
            if getattr(table, key) is not None:
                self._fault(
                    f"contact.{key}",
                    shown(getattr(table, key)),
                    f'has no effect with friction = "{table.friction}"',
                    'leave it out, or write friction = "velocity"',
                )
