/**
 * What is looked for within a page. Each of these functions is sent to the browser by itself, so none
 * calls another; what one leaves for the next is kept in the page's window.
 */
type Kept = {
  axe?: typeof import('axe-core')
  prepareAxe?: () => void
  /** Texts whose colours are to be checked. */
  texts?: Element[]
  /** The controls that showed in the width that the page was opened in. */
  controls?: HTMLElement[]
}

export type Audit = {
  /** Rules of axe; all but `off` if there are none. */
  only?: readonly string[]
  off: readonly string[]
  /** Whether only the texts that `colorsOfTexts` found are checked. */
  ofTexts?: boolean
}

/** The barriers that axe finds, with the places where they are. */
export async function audit({ only, off, ofTexts = false }: Audit): Promise<string[]> {
  const kept = window as unknown as Kept
  if (!kept.axe) kept.prepareAxe?.()
  if (!kept.axe) throw new Error('axe is not in the page')
  const { violations } = await kept.axe.run(ofTexts ? { include: kept.texts ?? [] } : document, {
    iframes: false,
    resultTypes: ['violations'],
    ...(only
      ? { runOnly: [...only] }
      : { rules: Object.fromEntries(off.map((rule) => [rule, { enabled: false }])) }),
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

/**
 * The colours of the texts that show, each with all that their contrast depends on: size, weight, and
 * what is behind them. Texts whose colours are not `known` are kept for `audit`, and those that stand
 * before something else than the elements that they are in; `rest` says whether there are any.
 */
export function colorsOfTexts(known: readonly string[]): { colors: string[]; rest: boolean } {
  const isKnown = new Set(known)
  const backgrounds = new Map<Element, string | undefined>()
  function behind(element: Element): string | undefined {
    if (backgrounds.has(element)) return backgrounds.get(element)
    const { backgroundColor, backgroundImage, opacity, position } = getComputedStyle(element)
    const parent = element.parentElement
    const before = parent ? behind(parent) : ''
    const isOpaque = /^rgb\(/.test(backgroundColor) && backgroundImage === 'none'
    const isPlaced = position !== 'static' && position !== 'relative'
    const isUnclear = opacity !== '1' || backgroundImage.includes('url(') || before === undefined
    const isSeenThrough = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none'
    let found: string | undefined
    if (isUnclear || (isPlaced && !isOpaque)) found = undefined
    else if (isOpaque) found = backgroundColor
    else if (isSeenThrough) found = before
    else found = `${before} ${backgroundColor} ${backgroundImage}`
    backgrounds.set(element, found)
    return found
  }
  const colors = new Set<string>()
  const rest: Element[] = []
  for (const element of document.body.querySelectorAll('*')) {
    const isText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim(),
    )
    if (!isText && !element.matches('input, select, textarea')) continue
    if (!element.checkVisibility({ visibilityProperty: true })) continue
    const { color, fontSize, fontWeight, textShadow, textDecorationLine } =
      getComputedStyle(element)
    const back = behind(element)
    const around = getComputedStyle(element.parentElement ?? element).color
    const text = [color, fontSize, fontWeight, textShadow, textDecorationLine, around, back].join(
      ';',
    )
    if (back !== undefined) colors.add(text)
    if (back === undefined || !isKnown.has(text)) rest.push(element)
  }
  const kept = window as unknown as Kept
  kept.texts = rest
  return { colors: [...colors], rest: rest.length > 0 }
}

/** Whether something sticks out to the right, so that a phone would scroll sideways. */
export function overflowsSideways(): boolean {
  return document.documentElement.scrollWidth > window.innerWidth
}

/** Links of menus that have more lines than words. */
export function tornApart(): string[] {
  return [...document.querySelectorAll('nav a')].flatMap((link) => {
    const range = document.createRange()
    range.selectNodeContents(link)
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
    const text = link.textContent.trim()
    return lines.size > text.split(/\s+/).length ? [`tears apart ${text}`] : []
  })
}

/**
 * The controls that a pointer cannot reach, since something lies over them. In another width than the
 * page was opened in, also those that showed there and do not any more, nor can be unfolded.
 */
export function unreachable(isTurned: boolean): string[] {
  const top = document.querySelector('dialog:modal') ?? document
  const controls = [
    ...top.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary'),
  ].filter((control) => control.checkVisibility({ visibilityProperty: true }))
  const kept = window as unknown as Kept
  const gone = ((isTurned && kept.controls) || []).filter(
    (control) => !controls.includes(control) && !control.closest('details'),
  )
  if (!isTurned) kept.controls = controls
  const isOnTop = (control: HTMLElement) => {
    const labels = 'labels' in control ? [...((control.labels as NodeList | null) ?? [])] : []
    return [...control.getClientRects()].some(({ left, top, width, height }) =>
      [
        document.elementFromPoint(left + width / 2, top + height / 2),
        document.elementFromPoint(left + Math.min(8, width / 2), top + Math.min(8, height / 2)),
      ].some((hit) => hit && [control, ...labels].some((each) => each.contains(hit))),
    )
  }
  const covered = controls.filter((control) => {
    // What only a keyboard or only a script reaches.
    if (control.tabIndex < 0 || getComputedStyle(control).pointerEvents === 'none') return false
    const from = control.getBoundingClientRect().top + window.scrollY
    window.scrollTo({ top: from - window.innerHeight / 2, behavior: 'instant' })
    if (isOnTop(control)) return false
    // It may stand in something that scrolls by itself.
    control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    return !isOnTop(control)
  })
  window.scrollTo({ top: 0, behavior: 'instant' })
  const named = (control: Element) => control.outerHTML.slice(0, 120)
  return [
    ...gone.map((control) => `does not show any more: ${named(control)}`),
    ...covered.map((control) => `cannot be reached: ${named(control)}`),
  ]
}
