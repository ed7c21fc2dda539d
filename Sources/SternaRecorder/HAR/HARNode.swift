package import SternaSerialization

/// A view of a JSON object in a HAR document.
package protocol HARNode: Sendable, Hashable {
    var json: JSON { get set }
    init(json: JSON)
}

extension HARNode {
    func nodes<Node: HARNode>(_ key: String) -> [Node] { json[key].array?.map(Node.init) ?? [] }

    mutating func set(_ nodes: [some HARNode], for key: String) { json[key] = .array(nodes.map(\.json)) }

    /// Sets a member, or removes it.
    mutating func set(optional value: JSON?, for key: String) {
        if let value {
            json[key] = value
        } else if var object = json.object {
            object[key] = nil
            json = .object(object)
        }
    }

    /// A count or time of the format, where a negative number means that it is unknown.
    func known(_ key: String) -> Double? { json[key].double.flatMap { $0 >= 0 ? $0 : nil } }
}
