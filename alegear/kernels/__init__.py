"""What every kernel needs: decorators, structs by address, compiled elements, and where machine code is kept."""
