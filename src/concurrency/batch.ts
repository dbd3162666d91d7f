import { setImmediate } from 'node:timers/promises'

/** What one of those who asked together is told: the answer, and its position among how many, from 1. */
export type Batched<Answer> = { answer: Answer; position: number; count: number }

type Batch<Item, Answer> = { items: Item[]; answer: Promise<Answer> }

/**
 * Lets those who ask the same at the same time ask once. The first asks at the end of its turn of the
 * event loop, together with who else comes in it; whoever comes while that is under way waits for its
 * end and asks together with the others who came, at most `most` of them, never with an answer that
 * was on its way before. If asking fails, those who wait behind it
 * fail with it, so that nobody waits for two timeouts.
 */
export function createBatcher<Item, Answer>({ most = Number.POSITIVE_INFINITY } = {}) {
  const forming = new Map<string, Batch<Item, Answer>>()
  const latest = new Map<string, Promise<Answer>>()

  function form(id: string, ask: (items: readonly Item[]) => Promise<Answer>): Batch<Item, Answer> {
    const send = async () => {
      try {
        await (latest.get(id) ?? setImmediate())
      } finally {
        if (forming.get(id) === batch) forming.delete(id)
      }
      return ask(batch.items)
    }
    const batch: Batch<Item, Answer> = { items: [], answer: send() }
    const done = () => {
      if (latest.get(id) === batch.answer) latest.delete(id)
    }
    batch.answer.then(done, done)
    forming.set(id, batch)
    latest.set(id, batch.answer)
    return batch
  }

  /** Asks for `id`; `ask` is given what each of those brings for whom it asks. Rejects as `ask` does. */
  return async function batch(
    id: string,
    item: Item,
    ask: (items: readonly Item[]) => Promise<Answer>,
  ): Promise<Batched<Answer>> {
    const open = forming.get(id)
    const batch = open && open.items.length < most ? open : form(id, ask)
    const position = batch.items.push(item)
    const answer = await batch.answer
    return { answer, position, count: batch.items.length }
  }
}
