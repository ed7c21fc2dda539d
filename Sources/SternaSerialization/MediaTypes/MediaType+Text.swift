extension MediaType {
    /// Whether content of this type is text in which secrets can be hidden by name.
    package var isTextual: Bool {
        // YAML has names, but no part of this package reads it, so its secrets could not be hidden.
        if essence == "text/yaml" || essence == "text/x-yaml" { return false }
        if essence.hasPrefix("text/") || essence.hasSuffix("+json") || essence.hasSuffix("+xml") { return true }
        switch essence {
        case "application/json", "application/x-ndjson", "application/json-seq", "application/xml",
            "application/x-www-form-urlencoded", "application/javascript", "application/graphql", "application/x-plist",
            "multipart/form-data":
            return true
        default: return false
        }
    }
}
