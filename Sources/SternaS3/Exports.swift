// Clients of S3 are made of credentials, which that module has.
@_exported public import SternaSigning
