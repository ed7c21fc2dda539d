import SternaCore

/// Discovers the protocol of a server by its response to OPTIONS.
enum UploadDiscovery {
    /// Returns the state with the protocol; the IETF protocol if the server has both.
    static func decide(_ response: UploadResponse, _ state: UploadState) throws(UploadFault) -> UploadDecision {
        var next = state
        let named = IETFVersion.named(response.fields[values: IETFRule.versionField])
        if let version = named, version != .preferred || response.isSuccess {
            next.dialect = .ietf(version)
        } else if hasIETF(response) {
            next.dialect = .ietf(.preferred)
        } else if let support = TusSupport(response.fields) {
            (next.dialect, next.tus) = (.tus, support)
            return .proceed(next)
        } else {
            switch response.status {
            case 307, 308: return UploadRule.refusal(response, to: .discover, state)
            case let status where TransientStatus.contains(status):
                return UploadRule.refusal(response, to: .discover, state)
            // The server describes its protocols only to requests with credentials.
            case 401, 407: return .fail(.refused(response.status, response.problem?.text))
            default: return .fail(.noProtocol(status: response.status))
            }
        }
        if let field = UploadLimits.Field(response.fields[values: IETFRule.limitField]) { next.limits = field.limits }
        return .proceed(next)
    }

    private static func hasIETF(_ response: UploadResponse) -> Bool {
        guard response.isSuccess else { return false }
        if UploadLimits.Field(response.fields[values: IETFRule.limitField]) != nil { return true }
        return MediaTypeList.mediaTypes(response.fields[values: "Accept-Patch"]).contains(IETFRule.partialType)
    }
}

/// Reads lists of media types.
private enum MediaTypeList {
    static func mediaTypes(_ lines: [String]) -> [String] {
        guard lines.reduce(0, { $0 + $1.utf8.count }) <= TusField.longest else { return [] }
        return lines.flatMap { $0.split(separator: ",") }
            .compactMap { $0.split(separator: ";").first?.trimmingBlanks().lowercased() }
    }
}
