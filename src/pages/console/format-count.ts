/** A whole number as people read it: 12,345. */
export function formatCount(value: number): string {
  return new Intl.NumberFormat('en').format(value)
}
