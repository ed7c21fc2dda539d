#if Foundation
public import Foundation
public import SternaCore
public import SternaSecurity

extension Pin {
    /// Pins the certificates among a bundle's resources with the extensions `.cer`, `.crt`, `.der` and `.pem`: AFNetworking's
    /// `certificatesInBundle:`. Throws `certificateRejected` if there are none.
    public static func certificates(bundle: Bundle) throws(SternaError) -> Set<Pin> {
        try certificates(at: resources(of: bundle))
    }

    /// Pins the keys of the certificates among a bundle's resources; throws `certificateRejected` if there are none.
    public static func publicKeys(bundle: Bundle) throws(SternaError) -> Set<Pin> {
        try publicKeys(at: resources(of: bundle))
    }
}

extension TrustRoots {
    /// The certificates among a bundle's resources, which are read at the first evaluation of a server.
    public static func bundle(_ bundle: Bundle) -> TrustRoots { .folder(resources(of: bundle)) }
}

private func resources(of bundle: Bundle) -> String { bundle.resourcePath ?? bundle.bundlePath }
#endif
