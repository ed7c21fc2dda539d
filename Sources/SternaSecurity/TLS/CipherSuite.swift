/// A cipher suite of TLS 1.2, by its registered name. The suites of TLS 1.3 are fixed and secure.
public enum CipherSuite: String, Sendable, Hashable, Codable, CaseIterable {
    case ecdheECDSAWithAES128GCM = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
    case ecdheECDSAWithAES256GCM = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"
    case ecdheECDSAWithChaCha20 = "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"
    case ecdheRSAWithAES128GCM = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
    case ecdheRSAWithAES256GCM = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
    case ecdheRSAWithChaCha20 = "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
    /// For old servers: without authenticated encryption.
    case ecdheECDSAWithAES128CBC = "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"
    /// For old servers: without authenticated encryption.
    case ecdheECDSAWithAES256CBC = "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"
    /// For old servers: without authenticated encryption.
    case ecdheRSAWithAES128CBC = "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"
    /// For old servers: without authenticated encryption.
    case ecdheRSAWithAES256CBC = "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"
    /// For old servers: no forward secrecy, so a key obtained later decrypts captured traffic.
    case rsaWithAES128GCM = "TLS_RSA_WITH_AES_128_GCM_SHA256"
    /// For old servers: no forward secrecy, so a key obtained later decrypts captured traffic.
    case rsaWithAES256GCM = "TLS_RSA_WITH_AES_256_GCM_SHA384"
}
