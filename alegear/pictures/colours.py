"""Colours of curves: those of Okabe and Ito, which people with any kind of colour vision tell apart."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
