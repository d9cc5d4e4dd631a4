"""Keys of summaries and of the data of a case as gear engineers say them, with their units."""

from __future__ import annotations

from functools import cache

#: Of contacts and their signals.
_CONTACT = {
    "te_mean_um": "transmission error, mean [µm]",
    "te_peak_to_peak_um": "transmission error, peak to peak [µm]",
    "te_peak_to_peak_grid_um": "transmission error, change of its peak to peak by a coarser grid [µm]",
    "te_harmonics_um": "transmission error, orders of the mesh [µm]",
    "te_rms_max_um": "transmission error, largest rms about its mean [µm]",
    "mesh_stiffness_N_per_um": "mesh stiffness [N/µm]",
    "mesh_stiffness_iso_6336_N_per_um": "mesh stiffness of ISO 6336-1, c_γα times face width [N/µm]",
    "mesh_stiffness_over_iso_6336": "mean mesh stiffness over that of ISO 6336-1",
    "body_deflection_share": "part of the deflection by which the rim turns and shifts about the bore",
    "j_wt_um": "circumferential backlash j_wt [µm]",
    "j_bn_um": "normal backlash j_bn [µm]",
    "mesh_natural_frequency_Hz": "natural frequency in the mesh, gears on their supports [Hz]",
    "mesh_natural_frequency_fixed_axes_Hz": "natural frequency in the mesh, gears on fixed axes and their shafts [Hz]",
    "mesh_natural_frequency_free_Hz": "natural frequency in the mesh, gears free [Hz]",
    "tooth_load_factor_max": "dynamic factor of the tooth load, largest",
    "contact_loss_share_max": "part of the time without contact, largest",
    "power_loss_mean_W": "power loss, mean [W]",
    "sliding_velocity_max_m_per_s": "sliding velocity, largest [m/s]",
    "pressure_velocity_max_MPa_m_per_s": "contact pressure times sliding velocity, largest [MPa m/s]",
    "pressure_velocity_max_at": "where contact pressure times sliding velocity is largest",
    "flash_temperature_max_K": "flash temperature, largest rise [K]",
    "flash_temperature_max_at": "where the flash temperature is largest",
    "flash_temperature_peclet": "Péclet number of the faster flank there",
    "contact_temperature_max_C": "contact temperature, largest [°C]",
    "root_contact_stress_max_MPa": "contact stress of a tip edge beside the root, no root stress, largest [MPa]",
    "root_safety": "safety of the root, endurance over stress in the fillet",
    "contact_safety": "safety of the flank, endurance over pressure",
    "root_stress_range_MPa": "range of the root stress [MPa]",
    "root_stress_amplitude_MPa": "amplitude of the root stress [MPa]",
    "root_stress_mean_MPa": "mean root stress [MPa]",
    "topography_error_um": "grids of measured flanks, largest error [µm]",
}
#: Of sweeps and of machines.
_MACHINE = {
    "at_drive_speed_rpm": "at a speed of the drive [rpm]",
    "at_pinion_speed_rpm": "at a speed of the pinion [rpm]",
    "at_mesh_frequency_Hz": "at a mesh frequency [Hz]",
    "rotation_error_rms_max_urad": "rotation error, largest rms [µrad]",
    "force_max_N": "force, largest [N]",
    "force_end_N": "force at the end [N]",
    "normal_force_max_N": "normal force, largest [N]",
    "normal_force_end_N": "normal force at the end [N]",
    "reaction_force_max_N": "reaction force, largest [N]",
    "reaction_torque_max_Nm": "reaction torque, largest [N m]",
    "torque_max_Nm": "torque, largest [N m]",
    "length_end_m": "length at the end [m]",
    "at_mm": "position on the shaft [mm]",
    "to": "held by",
    "to_at_mm": "position on what holds it [mm]",
    "phase_pitches": "phase of the mesh [pitches]",
    "balances_drive": "takes what the torque of the drive leaves",
    "cage_Hz": "cage [Hz]",
    "spin_Hz": "spin of the rolling elements [Hz]",
    "roller_Hz": "defect of a rolling element [Hz]",
    "inner_race_Hz": "defect of the inner race [Hz]",
    "outer_race_Hz": "defect of the outer race [Hz]",
}
#: Of torsional parts and of bodies in space.
_PARTS = {
    "open": "all switches open",
    "closed": "all switches closed",
    "turns_with": "turns with",
    "planets": "number of planets",
    "stationary_ratio": "stationary ratio i_0",
    "second_stationary_ratio": "second stationary ratio i_0",
    "second_m_n_mm": "normal module of the second step [mm]",
    "pin_radius_mm": "radius of the circle of pins [mm]",
    "pin_positions_deg": "positions of the pins [°]",
    "left": "degrees of freedom",
    "kind": "kind",
    "speed_rpm": "speed [rpm]",
    "angle_deg": "angle [°]",
}
WORDS = {**_CONTACT, **_MACHINE, **_PARTS}


@cache
def quantities_of_parts() -> dict[str, str]:
    """Numbers of torsional parts and of bodies in space by their keys, where all parts that have one call it alike."""
    from alegear.case.rotational import ROTATIONAL  # here, because results of pairs have none of these parts
    from alegear.case.spatial import SPATIAL
    from alegear.parameters import limits_of

    found: dict[str, set[str]] = {}
    for table in (*ROTATIONAL.values(), *SPATIAL.values()):
        for one in limits_of(table.MAKES).values():  # type: ignore[attr-defined]
            found.setdefault(one.key, set()).add(one.quantity)
    return {key: quantities.pop() for key, quantities in found.items() if len(quantities) == 1}
