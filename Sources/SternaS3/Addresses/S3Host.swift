/// Decides which hosts of AWS belong to S3, since other names of its domain may belong to customers' machines. Functions of values.
enum S3Host {
    /// Returns whether a host, in lower case, serves buckets: `s3.region.amazonaws.com` and its variants, with or without a bucket
    /// before it. Hosts of websites, access points and functions do not count.
    ///
    /// - Parameter isChina: whether to accept hosts of the regions in China, which have their own domain.
    static func isService(_ host: String, isChina: Bool) -> Bool {
        let domain = isChina ? ".amazonaws.com.cn" : ".amazonaws.com"
        guard host.utf8.count <= 253, host.hasSuffix(domain) else { return false }
        var labels = host.dropLast(domain.utf8.count).split(separator: ".", omittingEmptySubsequences: false)[...]
        guard let last = labels.popLast(), labels.allSatisfy({ !$0.isEmpty }) else { return false }
        guard isRegion(last, isChina: isChina) else { return isGlobal(last, before: labels.last, isChina: isChina) }
        if labels.last == "dualstack" { labels.removeLast() }
        return labels.last == "s3" || labels.last == "s3-fips"
    }

    /// Whether a name without a region belongs to S3.
    private static func isGlobal(_ last: Substring, before: Substring?, isChina: Bool) -> Bool {
        switch last {
        case "s3", "s3-accelerate", "s3-external-1": return !isChina
        case "dualstack": return !isChina && before == "s3-accelerate"
        default:
            // Legacy names: s3-eu-west-1.amazonaws.com.
            guard last.hasPrefix("s3-") else { return false }
            let rest = last.dropFirst(3)
            return isRegion(rest.hasPrefix("fips-") ? rest.dropFirst(5) : rest, isChina: isChina)
        }
    }

    /// Whether a text is the name of a region, such as `eu-central-1` or `us-gov-west-1`.
    private static func isRegion(_ text: Substring, isChina: Bool) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), let first = parts.first, let last = parts.last else { return false }
        let areLetters = parts.dropLast().allSatisfy { part in
            (2...12).contains(part.utf8.count) && part.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        }
        let isNumber = (1...2).contains(last.utf8.count) && last.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return first.utf8.count == 2 && areLetters && isNumber && (first == "cn") == isChina
    }
}
