let count = 0

/**
 * Returns an IP address without previous requests. There are 131,072, because all files of a worker
 * count here. An invalid address would share its rate limit with all other invalid addresses.
 */
export function newAddress() {
  count += 1
  return `198.${18 + (count >> 16)}.${(count >> 8) & 0xff}.${count & 0xff}`
}
