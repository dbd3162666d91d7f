/** Says that a worker answers every request. */
export type Serving = { type: 'brevis:serving' }

/** Has whoever started this worker know that it answers every request, and not just visits any more. */
export function tellServing(): void {
  const message: Serving = { type: 'brevis:serving' }
  // The channel closes when the primary ends, and this process with it.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
