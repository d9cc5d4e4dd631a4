"""Teeth in line contact by Hertz, tooth by tooth, between centres that move."""
