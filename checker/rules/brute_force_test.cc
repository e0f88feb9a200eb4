// Every rule against MPFR arithmetic on its text.
