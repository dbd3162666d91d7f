/** Creates a signal that ends a wait, even if the signal came before the wait. */
export function createWakeUp() {
  let isNotified = false
  let wake = () => {}

  function notify(): void {
    isNotified = true
    wake()
  }

  async function wait(ms: number): Promise<void> {
    if (!isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    isNotified = false
  }

  return { notify, wait }
}
