"""Keys of summaries and of the data of a case as gear engineers say them, with their units."""

from __future__ import annotations

#: Of contacts and their signals.
_CONTACT = {
    "te_mean_um": "transmission error, mean [µm]",
    "te_peak_to_peak_um": "transmission error, peak to peak [µm]",
    "te_peak_to_peak_grid_um": "transmission error, change of its peak to peak by a coarser grid [µm]",
    "te_harmonics_um": "transmission error, orders of the mesh [µm]",
    "te_rms_max_um": "transmission error, largest rms about its mean [µm]",
    "mesh_stiffness_N_per_um": "mesh stiffness [N/µm]",
    "mesh_natural_frequency_Hz": "natural frequency in the mesh, gears on their supports [Hz]",
    "mesh_natural_frequency_hinged_Hz": "natural frequency in the mesh, gears on hinges and their shafts [Hz]",
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
    "reacts": "takes what the torque of the drive leaves",
    "cage_Hz": "cage [Hz]",
    "spin_Hz": "spin of the rolling elements [Hz]",
    "roller_Hz": "defect of a rolling element [Hz]",
    "inner_race_Hz": "defect of the inner race [Hz]",
    "outer_race_Hz": "defect of the outer race [Hz]",
}
#: Of parts that only turn and of bodies in space.
_PARTS = {
    "open": "all switches open",
    "closed": "all switches closed",
    "turns_with": "turns with",
    "geometry_factor_m": "number of faces times mean radius [m]",
    "peak": "static over sliding friction",
    "linear_Nms_per_rad": "torque over speed [N m s/rad]",
    "quadratic_Nms2_per_rad2": "torque over speed squared [N m s²/rad²]",
    "rolling": "coefficient of rolling resistance",
    "drag_area_m2": "drag coefficient times area [m²]",
    "left": "degrees of freedom",
    "kind": "kind",
}
WORDS = {**_CONTACT, **_MACHINE, **_PARTS}
