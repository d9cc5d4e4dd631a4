"""Contact and friction, from the tables of a case file to SI units."""

from __future__ import annotations

from typing import Any

from alegear.case import schema
from alegear.case.faults import shown
from alegear.case.tables import Section
from alegear.case.units import MM
from alegear.contact.law import Friction, PenaltyLaw
from alegear.errors import Fault


class ContactSection(Section):
    """``[contact]``."""

    def contact(self, table: Any) -> tuple[PenaltyLaw | None, Friction | None]:
        if table is None:
            return None, None
        self._without_effect(table)
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
        values = {name: value for name, value in values.items() if name not in Friction.UNUSED[table.friction]}
        try:
            friction = Friction(kind=table.friction, **values)
        except Fault as fault:
            self._fault("[contact]", str(fault.value), f"{fault.quantity} must be {fault.limit}", fault.remedy)
        return penalty, friction

    def _without_effect(self, table: schema.ContactTable) -> None:
        """Refuse values of ``[contact]`` that would be ignored."""
        if table.law == "hertz":
            for key, value in table.penalty.model_dump(exclude_none=True).items():
                self._fault(
                    f"contact.penalty.{key}",
                    shown(value),
                    'has no effect with law = "hertz"',
                    'leave it out, or write law = "penalty" in [contact]',
                )
        names = {
            "mu_static": "mu_static",
            "mu_dynamic": "mu_dynamic",
            "v_static": "transition_speed_static_m_per_s",
            "v_dynamic": "transition_speed_dynamic_m_per_s",
        }
        unused = [names[name] for name in Friction.UNUSED[table.friction]]
        for key in unused:
            if getattr(table, key) is not None:
                self._fault(
                    f"contact.{key}",
                    shown(getattr(table, key)),
                    f'has no effect with friction = "{table.friction}"',
                    'leave it out, or write friction = "velocity"',
                )
