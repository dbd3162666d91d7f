type Value = string | number | { readonly [key: string]: Value }

/**
 * Returns a country database in MaxMind's format (MMDB 2.0) in which every IP address has the same
 * record, such as `{ country: { iso_code: 'DE' } }`. Its search tree has one node, and both
 * branches point to the record.
 */
export function createCountryDatabase(record: Value, type = 'Test-Country'): Buffer {
  const nodeCount = 1
  const pointer = Buffer.alloc(3)
  // Pointers count from the first node. A separator of 16 bytes comes between nodes and records.
  pointer.writeUIntBE(nodeCount + 16, 0, 3)
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: type,
    ip_version: 6,
    node_count: nodeCount,
    record_size: 24,
  })
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([pointer, pointer, Buffer.alloc(16), encode(record), marker, metadata])
}

/**
 * Encodes a value. Strings have type 2, numbers type 6 (uint32) and maps type 7, all with fewer
 * than 29 bytes or entries.
 */
function encode(value: Value): Buffer {
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(5, (6 << 5) | 4)
    bytes.writeUInt32BE(value, 1)
    return bytes
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([Buffer.of((2 << 5) | text.length), text])
  }
  const entries = Object.entries(value)
  const parts = entries.flatMap(([key, inner]) => [encode(key), encode(inner)])
  return Buffer.concat([Buffer.of((7 << 5) | entries.length), ...parts])
}
