extension PublicSuffixList {
    /// Reads the list from a file in the format of `public_suffix_list.dat`; blocks the thread on the disk.
    ///
    /// - Throws: `fileUnreadable` if the file cannot be read, is longer than 4 MiB, or has no rule or an invalid one.
    public init(contentsOf file: some FileReference) throws(SternaError) {
        let file = PrivateFile(path: try file.filePath(), title: "The list of public suffixes")
        do throws(FileFault) {
            guard let content = try file.load(upTo: Limits.bytes, followsLinks: true) else {
                throw FileFault("there is no such file")
            }
            do throws(Fault) {
                try self.init(parsing: content.bytes)
            } catch {
                throw FileFault(error.reason)
            }
        } catch {
            throw file.unreadable(error)
        }
    }

    /// Why a list cannot be read, as a part of a sentence.
    package struct Fault: Error, Hashable {
        package let reason: String
    }

    enum Limits {
        static let bytes = 4 << 20
        /// The maximum number of labels of a rule.
        static let depth = 32
    }

    /// Parses the list, like ``init(contentsOf:)``.
    package init(parsing bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Limits.bytes else { throw Fault(reason: "it is longer than \(Limits.bytes) bytes") }
        var kinds: [[UInt8]: Set<UInt8>] = [:]
        var depth = 0
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let rule = line.drop(while: Self.isBlank).prefix { !Self.isBlank($0) }
            guard !rule.isEmpty, !rule.starts(with: "//".utf8) else { continue }
            // This rule is the default for names without another rule.
            guard !rule.elementsEqual("*".utf8) else { continue }
            guard let (domain, kind) = Self.rule(rule) else { throw Fault(reason: "line \(number) is not a rule") }
            let labels = domain.count { $0 == UInt8(ascii: ".") } + (kind == UInt8(ascii: "*") ? 2 : 1)
            guard labels <= Limits.depth else { throw Fault(reason: "line \(number) has too many labels") }
            depth = max(depth, labels)
            kinds[domain, default: []].insert(kind)
        }
        guard !kinds.isEmpty else { throw Fault(reason: "it has no rule") }
        var text: [UInt8] = []
        for (domain, kinds) in kinds.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            text += domain
            if kinds.contains(UInt8(ascii: "!")) {
                text.append(UInt8(ascii: "!"))
            } else if kinds.contains(UInt8(ascii: "*")) {
                text.append(UInt8(ascii: kinds.count > 1 ? "&" : "*"))
            }
            text.append(UInt8(ascii: "\n"))
        }
        self.init(sorted: text, depth: depth)
    }

    /// Returns the rule's domain in ASCII, and `!`, `*` or `=`; nil for an invalid rule.
    private static func rule(_ rule: ArraySlice<UInt8>) -> (domain: [UInt8], kind: UInt8)? {
        var domain = rule
        var kind = UInt8(ascii: "=")
        if rule.first == UInt8(ascii: "!") {
            kind = UInt8(ascii: "!")
            domain = rule.dropFirst()
        } else if rule.starts(with: "*.".utf8) {
            kind = UInt8(ascii: "*")
            domain = rule.dropFirst(2)
        }
        let host = domain.first == UInt8(ascii: ".") ? domain.dropFirst() : domain
        guard let parsed = try? HostParser.parse(host), parsed.kind == .domain else { return nil }
        let name = Array(parsed.text.utf8)
        // Only bytes above the separators of rules are permitted.
        guard name.allSatisfy({ $0 >= 0x2D }), name.first != UInt8(ascii: "."), name.last != UInt8(ascii: "."),
            !zip(name, name.dropFirst()).contains(where: { $0 == UInt8(ascii: ".") && $1 == UInt8(ascii: ".") })
        else { return nil }
        return (name, kind)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
