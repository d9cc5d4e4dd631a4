"""Small sound cases of every form of case files, as tables of TOML: what ``scripts/fuzz.py`` changes."""

from __future__ import annotations

from typing import Any

GRID = {
    "order": 1,
    "flank_elements": 6,
    "fillet_elements": 6,
    "thickness_elements": 4,
    "width_elements": 2,
    "rim_elements": 4,
}
BASE: dict[str, Any] = {
    "pair": {"normal_module_mm": 4.0},
    "pinion": {"teeth": 20, "face_width_mm": 20.0, "bore_diameter_mm": 35.8},
    "wheel": {"teeth": 30, "face_width_mm": 20.0, "bore_diameter_mm": 54.2},
    "operation": {"pinion_torque_Nm": 200.0},
    "grid": GRID,
    "output": {"plots": False, "fields": False},
}
KINDS: dict[str, dict[str, Any]] = {
    "static": {"kind": "static", "positions_per_pitch": 4},
    "dynamic": {"kind": "dynamic", "duration_s": 2e-4},
    "modal": {"kind": "modal", "n_modes": 3},
    "sweep": {
        "kind": "sweep",
        "duration_s": 0.01,
        "speed_from_rpm": 1000.0,
        "speed_to_rpm": 2000.0,
        "pitches_per_point": 2,
    },
    "kinematic": {"kind": "kinematic", "duration_s": 0.1, "positions": 3},
}
#: A shaft on bearings with a gear in a flexible mesh and one in a rigid mesh, the other two on hinges.
MACHINE: dict[str, Any] = {
    "machine": {},
    "shafts": {
        "input": {"sections_mm": [[60.0, 30.0, 0.0], [40.0, 25.0, 0.0]]},
        "middle": {"fixed_axis": True, "position_mm": [100.0, 0.0, 0.0]},
        "output": {"fixed_axis": True, "position_mm": [0.0, -100.0, 0.0], "direction": [0.0, 0.0, -1.0]},
    },
    "gears": {
        "p1": {"shaft": "input", "at_mm": 25.0, "teeth": 20, "face_width_mm": 20.0, "bore_diameter_mm": 35.8},
        "p2": {"shaft": "input", "at_mm": 65.0, "teeth": 20, "face_width_mm": 20.0, "bore_diameter_mm": 35.8},
        "w1": {"shaft": "middle", "at_mm": 25.0, "teeth": 30, "face_width_mm": 20.0, "bore_diameter_mm": 54.2},
        "w2": {"shaft": "output", "at_mm": -65.0, "teeth": 30, "face_width_mm": 20.0, "bore_diameter_mm": 54.2},
    },
    "meshes": {
        "first": {"gears": ["p1", "w1"], "normal_module_mm": 4.0},
        "second": {"gears": ["p2", "w2"], "normal_module_mm": 4.0, "fidelity": "rigid"},
    },
    "bearings": {
        "a": {"shaft": "input", "at_mm": 5.0, "stiffness_N_per_m": [2e8, 2e8, 1e8]},
        "b": {"shaft": "input", "at_mm": 95.0, "stiffness_N_per_m": [2e8, 2e8, 0.0]},
    },
    "housings": {},
    "drives": {"motor": {"shaft": "input", "speed_rpm": 1500.0}},
    "loads": {"brake": {"shaft": "middle", "torque_Nm": 200.0}, "fan": {"shaft": "output", "torque_Nm": 100.0}},
    "grid": GRID,
    "output": {"plots": False, "fields": False},
}
#: Torsional parts, one of each table.
TURNING: dict[str, Any] = {
    "machine": {},
    "rotors": {"a": {"inertia_kg_m2": 1.0}, **{name: {"inertia_kg_m2": 2.0} for name in "bcdefghij"}},
    "springs": {"s": {"between": ["a", "b"], "stiffness_Nm_per_rad": 100.0, "damping_Nms_per_rad": 1.0}},
    "ratios": {"r": {"between": ["b", "c"], "ratio": -2.0, "mesh_efficiency": 0.9}},
    "planetary_ratios": {"p": {"sun": "d", "ring": "e", "carrier": "c", "ratio": 2.0}},
    "planetary": {
        "ps": {
            "sun": "h",
            "ring": "ground",
            "carrier": "i",
            "sun_teeth": 17,
            "planet_teeth": 22,
            "ring_teeth": 61,
            "planets": 3,
            "normal_module_mm": 4.0,
            "center_distance_mm": 79.0,
            "planet_inertia_kg_m2": 0.1,
            "planet_mass_kg": 1.0,
        }
    },
    "elastic_meshes": {
        "em": {
            "gears": ["a", "g"],
            "pitch_radii_mm": [100.0, 300.0],
            "tip_radii_mm": [110.0, 310.0],
            "stiffness_N_per_m": 1e7,
            "damping_Ns_per_m": 1e4,
            "friction": "coulomb",
            "mu": 0.1,
        }
    },
    "varying_ratios": {
        "vr": {
            "between": ["b", "j"],
            "ratio_deg": [[0.0, 2.0], [90.0, 2.5], [200.0, 1.8], [360.0, 2.0]],
            "stiffness_Nm_per_rad": 100.0,
        }
    },
    "frictions": {"fr": {"at": "b", "torque_Nm": 1.0}},
    "clutches": {"k": {"between": ["a", "d"], "normal_force_N": 10.0, "signal_s": [[0.0, 0.0], [1e-4, 1.0]]}},
    "brakes": {"br": {"at": "e", "normal_force_N": 10.0}},
    "freewheels": {"fw": {"between": ["e", "f"]}},
    "torque_maps": {
        "tm": {
            "at": "a",
            "throttle": 0.5,
            "speeds_rpm": [0.0, 500.0, 3000.0],
            "throttles": [0.0, 1.0],
            "torque_Nm": [[0.0, -1.0, -5.0], [5.0, 8.0, 4.0]],
        }
    },
    "converters": {"co": {"pump": "a", "turbine": "d", "table": [[0.0, 1e-3, 2.0], [0.8, 7e-4, 1.1], [1.0, 0.0, 1.0]]}},
    "road_loads": {"ro": {"at": "b", "mass_kg": 10.0, "radius_mm": 300.0, "drag_area_m2": 0.5}},
    "torques": {"t": {"at": "a", "torque_Nm": 20.0}},
    "speeds": {"n": {"at": "f", "speed_table_s_rpm": [[0.0, 0.0], [1.0, 100.0]]}},
    "resistances": {"w": {"at": "b", "linear_Nms_per_rad": 0.1}},
    "governors": {"gov": {"at": "b", "speed_rpm": 100.0, "proportional_Nms_per_rad": 1.0, "integral_Nm_per_rad": 2.0}},
    "shafts": {"sh": {"fixed_axis": True}},
    "disks": {"di": {"shaft": "sh", "inertia_kg_m2": 0.5}},
    "output": {"plots": False},
}
#: Bodies in space, one of each table: a pinion that is prescribed, a wheel, a rack in a guide, and a block on springs.
SPACE: dict[str, Any] = {
    "machine": {"gravity_m_s2": [0.0, -9.81, 0.0]},
    "bodies": {
        "pinion": {"mass_kg": 1.0, "inertia_kg_m2": [1e-3, 1e-3, 1e-3]},
        "wheel": {"mass_kg": 2.0, "inertia_kg_m2": [2e-3, 2e-3, 2e-3], "position_mm": [100.0, 0.0, 0.0]},
        "rack": {"mass_kg": 1.0, "inertia_kg_m2": [1e-3, 1e-3, 1e-3], "position_mm": [160.0, 0.0, 0.0]},
        "block": {"mass_kg": 1.0, "inertia_kg_m2": [1e-3, 2e-3, 2e-3], "position_mm": [0.0, 300.0, 0.0]},
    },
    "joints": {
        "drive": {
            "kind": "prescribed_revolute",
            "between": ["ground", "pinion"],
            "axis": [0.0, 0.0, 1.0],
            "speed_rpm": 10.0,
        },
        "hinge": {
            "kind": "revolute",
            "between": ["ground", "wheel"],
            "point_mm": [100.0, 0.0, 0.0],
            "axis": [0.0, 0.0, 1.0],
        },
        "guide": {
            "kind": "prismatic",
            "between": ["ground", "rack"],
            "point_mm": [160.0, 0.0, 0.0],
            "axis": [0.0, 1.0, 0.0],
        },
    },
    "bushings": {
        "mount": {
            "between": ["ground", "block"],
            "point_mm": [0.0, 300.0, 0.0],
            "stiffness_N_per_m": [1e4, 1e4, 1e4],
            "stiffness_Nm_per_rad": [50.0, 50.0, 50.0],
            "damping_Ns_per_m": [10.0, 10.0, 10.0],
        }
    },
    "point_springs": {
        "string": {
            "between": ["ground", "block"],
            "points_mm": [[0.0, 500.0, 0.0], [0.0, 310.0, 0.0]],
            "stiffness_N_per_m": 1e3,
        }
    },
    "spatial_gears": {
        "g1": {"body": "pinion", "teeth": 20, "normal_module_mm": 4.0},
        "g2": {"body": "wheel", "teeth": 30, "normal_module_mm": 4.0},
        "g3": {"body": "wheel", "teeth": 30, "normal_module_mm": 4.0},
    },
    "spatial_racks": {
        "teeth": {
            "body": "rack",
            "normal_module_mm": 4.0,
            "direction": [0.0, 1.0, 0.0],
            "outwards": [-1.0, 0.0, 0.0],
        }
    },
    "spatial_meshes": {"first": {"gears": ["g1", "g2"]}, "second": {"gears": ["g3", "teeth"]}},
    "spatial_loads": {"push": {"body": "block", "force_N": [1.0, 2.0, 3.0], "torque_Nm": [0.1, 0.0, 0.2]}},
    "hinge_torques": {"brake": {"between": ["ground", "wheel"], "axis": [0.0, 0.0, 1.0], "torque_Nm": 3.0}},
    "output": {"plots": False},
}
#: A planetary set on Hertz teeth: the sun floats on a soft bearing, planets on pins, the carrier on a hinge.
SETS: dict[str, Any] = {
    "machine": {},
    "shafts": {"input": {"sections_mm": [[60.0, 25.0, 0.0]]}, "output": {"fixed_axis": True}},
    "bearings": {
        "soft": {
            "shaft": "input",
            "at_mm": 55.0,
            "stiffness_N_per_m": [1e7, 1e7, 1e7],
            "tilt_stiffness_Nm_per_rad": [1e5, 1e5],
        },
    },
    "drives": {"motor": {"shaft": "input", "at_mm": 60.0, "speed_rpm": 1500.0}},
    "loads": {"brake": {"shaft": "output", "torque_Nm": 571.0, "inertia_kg_m2": 0.5}},
    "planetary": {
        "set": {
            "sun": "input@0mm",
            "ring": "ground",
            "carrier": "output",
            "sun_teeth": 21,
            "planet_teeth": 39,
            "ring_teeth": 99,
            "planets": 3,
            "normal_module_mm": 2.0,
            "fidelity": "teeth",
            "torque_Nm": 100.0,
            "slices": 1,
            "pin_stiffness_N_per_m": [1e8, 1e8, 1e8],
            "pin_tilt_stiffness_Nm_per_rad": [1e6, 1e6],
            "pin_damping_Ns_per_m": [1e3, 1e3, 1e3],
            "sun_gear": {"face_width_mm": 30.0, "bore_diameter_mm": 20.0},
            "planet_gear": {"face_width_mm": 30.0, "bore_diameter_mm": 40.0, "tooth_thickness_allowance_um": 60.0},
            "ring_gear": {"face_width_mm": 30.0, "rim_diameter_mm": 230.0, "tip_alteration_factor": -0.1},
        }
    },
    "disks": {"hub": {"shaft": "input", "at_mm": 60.0, "inertia_kg_m2": 0.01, "mass_kg": 1.0}},
    "output": {"plots": False, "fields": False},
}
