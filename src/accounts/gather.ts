/** What one of those who asked together is told: the answer, and which of how many it is, from 1. */
export type Gathered<Answer> = { answer: Answer; place: number; count: number }

type Batch<Answer> = { count: number; answer: Promise<Answer> }

/**
 * Lets those who ask the same at the same time ask once. The first asks at once; whoever comes while
 * that is under way waits for its end and asks together with the others who came, never with an
 * answer that was on its way before. If asking fails, those who wait behind it fail with it, so that
 * nobody waits for two timeouts.
 */
export function createGather<Answer>() {
  const forming = new Map<string, Batch<Answer>>()
  const latest = new Map<string, Promise<Answer>>()

  function form(id: string, ask: (count: number) => Promise<Answer>): Batch<Answer> {
    const send = async () => {
      try {
        await latest.get(id)
      } finally {
        forming.delete(id)
      }
      return ask(batch.count)
    }
    const batch: Batch<Answer> = { count: 0, answer: send() }
    const done = () => {
      if (latest.get(id) === batch.answer) latest.delete(id)
    }
    batch.answer.then(done, done)
    forming.set(id, batch)
    latest.set(id, batch.answer)
    return batch
  }

  /** Asks for `id`; `ask` is told for how many it asks. Rejects as `ask` does. */
  return async function gather(
    id: string,
    ask: (count: number) => Promise<Answer>,
  ): Promise<Gathered<Answer>> {
    const batch = forming.get(id) ?? form(id, ask)
    batch.count += 1
    const place = batch.count
    const answer = await batch.answer
    return { answer, place, count: batch.count }
  }
}
