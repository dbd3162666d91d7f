let count = 0

/**
 * Returns an IP address that no other test of this worker uses, so that no rate limit of an earlier
 * test applies. The addresses are in 198.18.0.0/15, which is reserved for tests (RFC 2544).
 */
export function newAddress() {
  count += 1
  return `198.${18 + (count >> 16)}.${(count >> 8) & 0xff}.${count & 0xff}`
}
