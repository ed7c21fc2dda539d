package import HTTPTypes

/// The fields that stand for text which cannot be sent.
///
/// A subscript cannot throw, and a list of typed fields can hold neither an invalid name nor a line break. So the list gets a field
/// whose value has a control character and the name, and each transport refuses it.
package enum RefusedField {
    private enum Fault: UInt8 {
        case name = 1
        case value = 2
    }

    private static let name = HTTPField.Name("Sterna-Invalid-Field") ?? .contentType

    /// Appends a field for one that cannot be sent, because of its name or its value.
    static func append(_ text: String, isToken: Bool, to fields: inout HTTPFields) {
        fields.append(field(text, isToken ? .value : .name))
    }

    /// Removes the fields that stand for a name.
    static func remove(_ text: String, from fields: inout HTTPFields) {
        guard fields.contains(name) else { return }
        let own = [Fault.name, .value].map { field(text, $0).value.lowercased() }
        fields[fields: name] = fields[fields: name].filter { !own.contains($0.value.lowercased()) }
    }

    private static func field(_ text: String, _ fault: Fault) -> HTTPField {
        HTTPField(name: name, lenientValue: [fault.rawValue] + Array(FieldSyntax.printable(text).utf8))
    }

    /// Returns the `invalidHeader` for a field with a control character. It names the field but never shows its value.
    package static func error(of field: HTTPField) -> SternaError {
        let text = field.value
        guard field.name == name, let fault = text.utf8.first.flatMap({ Fault(rawValue: $0) }) else {
            return Headers.invalidValue(of: field.name.rawName)
        }
        let own = String(text.dropFirst())
        return fault == .name ? Headers.invalidName(own) : Headers.invalidValue(of: own)
    }
}

extension HTTPFields {
    /// Throws `invalidHeader` for a value with a control character, as the engine does when it writes the fields.
    package func checkValues() throws(SternaError) {
        for field in self where !field.withUnsafeBytesOfValue({ FieldSyntax.isValue(UnsafeRawBufferPointer($0)) }) {
            throw RefusedField.error(of: field)
        }
    }
}
