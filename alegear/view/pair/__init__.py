"""Pictures of a pair of gears: static, dynamic and modal studies."""
