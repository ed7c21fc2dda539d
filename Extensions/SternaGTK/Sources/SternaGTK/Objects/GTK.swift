// GTK's functions for programs that import SternaGTK; in a single file, so that the others show what they use.
@_exported public import CSternaLibGTK
