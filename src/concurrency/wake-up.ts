/** Creates a signal that ends a wait, even if it was given before the wait. */
export function createWakeUp() {
  let notified = false
  let wake = () => {}

  function notify(): void {
    notified = true
    wake()
  }

  async function wait(ms: number): Promise<void> {
    if (!notified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    notified = false
  }

  return { notify, wait }
}
