import type { RawResult } from 'axe-core'

/**
 * What is looked for within a page. These functions are sent to the browser together, with nothing
 * beside them; what one leaves for the next look is kept in the page's window.
 */
type Kept = {
  axe?: typeof import('axe-core')
  prepareAxe?: () => void
  /** The controls that showed in the width that the page was opened in. */
  controls?: HTMLElement[]
}

export type Asked = {
  /** What is in anybody's way is looked for in the page as it was opened, or in the other width. */
  misfits?: 'opened' | 'turned'
  /** Whether axe is asked at all: it is a script. */
  barriers: boolean
  /** The rules of axe that are not asked; none but those about colours are without it. */
  off?: readonly string[]
  /** Rules about colours that are asked only where there are colours that are not known. */
  colorRules: readonly string[]
  /** Colours of texts that axe found readable, each in a line. */
  known: string
}

export type Seen = {
  headings: number
  misfits: string[]
  barriers: string[]
  /** Colours of texts that axe found readable now. */
  readable: string[]
}

/** Looks at the page as it stands; undefined where axe would be asked and is not there. */
export async function look(asked: Asked): Promise<Seen | undefined> {
  const { misfits, barriers } = asked
  if (barriers && !('prepareAxe' in window)) return
  const inTheWay = misfits
    ? [...tornApart(), ...overflowsSideways(), ...unreachable(misfits === 'turned')]
    : []
  const found = barriers ? await audit(asked) : { barriers: [], readable: [] }
  return { headings: document.querySelectorAll('main h1').length, misfits: inTheWay, ...found }
}

/**
 * The barriers of level serious or critical that axe finds, with the places where they are. Colours are
 * asked about where a text has others than known ones, or more behind it than can be told.
 */
export async function audit({ off, colorRules, known }: Asked) {
  const { colors, rest } = colorsOfTexts(new Set(known.split('\n')))
  const nothing = { barriers: [], readable: [] }
  if (!off && rest.length === 0) return nothing
  const kept = window as unknown as Kept
  if (!kept.axe) kept.prepareAxe?.()
  const { axe } = kept
  if (!axe) throw new Error('axe is not in the page')
  // What axe has found as it is: what it makes of that for people takes longer than finding it.
  axe.addReporter<RawResult[]>('raw', (found, _options, done) => done(found), true)
  const notAsked = rest.length === 0 ? [...(off ?? []), ...colorRules] : off
  const results = (await axe.run(off ? document : { include: rest }, {
    iframes: false,
    // Style sheets are only read for a rule that is not asked.
    preload: { assets: ['media'] },
    ...(notAsked
      ? { rules: Object.fromEntries(notAsked.map((rule) => [rule, { enabled: false }])) }
      : { runOnly: [...colorRules] }),
  })) as unknown as RawResult[]
  const ofColors = results.filter(({ id }) => colorRules.includes(id))
  const elements = (nodes: readonly RawResult['violations' | 'incomplete' | 'passes'][number][]) =>
    nodes.flatMap(({ node }) => ('element' in node ? [node.element] : []))
  const doubtful = new Set(
    ofColors.flatMap((each) => elements([...each.violations, ...each.incomplete])),
  )
  // Texts that axe has measured: it also passes some that it does not see.
  const measured = ofColors.flatMap(({ passes }) =>
    elements(passes.filter(({ any }) => any.some(({ data }) => data?.fgColor && data?.bgColor))),
  )
  return {
    barriers: results
      .filter(({ violations }) => violations.length > 0)
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, violations }) => {
        return `${id}: ${violations.map(({ node }) => node.source.slice(0, 120)).join(' | ')}`
      }),
    readable: [
      ...new Set(measured.flatMap((text) => (doubtful.has(text) ? [] : (colors.get(text) ?? [])))),
    ],
  }
}

/**
 * The colours of the texts that show, each with all that their contrast depends on: size, weight, and
 * what is behind them; and the texts whose colours are not `known`, or before something else than the
 * elements that they are in, as far as can be told.
 */
export function colorsOfTexts(known: ReadonlySet<string>) {
  // Of what is clipped to this nothing is left.
  const clipped = new Set<Element>()
  const shown = [...document.body.querySelectorAll('*')].filter((element) => {
    const isIn = element.parentElement && clipped.has(element.parentElement)
    if (isIn || getComputedStyle(element).clipPath === 'inset(50%)') clipped.add(element)
    else if (!element.matches('svg *, option'))
      return element.checkVisibility({ visibilityProperty: true })
    return false
  })
  const behind = whatIsBehind(shown)
  const colors = new Map<Element, string>()
  const rest: Element[] = []
  for (const element of shown) {
    const isText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim(),
    )
    if (!isText && !element.matches('input, select, textarea')) continue
    // What axe does not ask about either.
    if (element.matches(':disabled, [type=hidden], [type=range], [type=color]')) continue
    if (element.matches('[type=checkbox], [type=radio], [type=image]')) continue
    const { color, fontSize, fontWeight, textShadow, textDecorationLine } =
      getComputedStyle(element)
    const back = behind(element)
    const around = getComputedStyle(element.parentElement ?? element).color
    const text = [color, fontSize, fontWeight, textShadow, textDecorationLine, around, back].join(
      ';',
    )
    if (back !== undefined) colors.set(element, text)
    if (back === undefined || !known.has(text)) rest.push(element)
  }
  return { colors, rest }
}

/**
 * What is behind the texts of an element, of those that show: the grounds of the elements that it is
 * in. Undefined where that cannot be told, or where the texts stand before, or behind, something else.
 */
export function whatIsBehind(shown: readonly Element[]) {
  type Ground = { ground: string; painted: Element[] }
  type Box = { left: number; right: number; top: number; bottom: number }
  const grounds = new Map<Element, Ground | undefined>()
  function groundOf(element: Element): Ground | undefined {
    if (grounds.has(element)) return grounds.get(element)
    const style = getComputedStyle(element)
    const { backgroundColor, backgroundImage, position } = style
    const parent = element.parentElement
    const before = parent ? groundOf(parent) : { ground: '', painted: [] }
    const isOpaque = /^rgb\(/.test(backgroundColor) && backgroundImage === 'none'
    const isPlaced = position !== 'static' && position !== 'relative'
    const isUnclear =
      style.opacity !== '1' ||
      style.filter !== 'none' ||
      style.mixBlendMode !== 'normal' ||
      backgroundImage.includes('url(')
    let found: Ground | undefined
    if (isUnclear || !before || (isPlaced && !isOpaque)) found = undefined
    else if (isOpaque) found = { ground: backgroundColor, painted: [element] }
    else if (!paints(element)) found = before
    else {
      const ground = `${before.ground} ${backgroundColor} ${backgroundImage}`
      found = { ground, painted: [...before.painted, element] }
    }
    grounds.set(element, found)
    return found
  }
  function paints(element: Element): boolean {
    const { backgroundColor, backgroundImage } = getComputedStyle(element)
    return backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none'
  }
  const isWholePainted = paints(document.documentElement)
  /** The boxes that cut off what sticks out of them sideways, from an element on. */
  const cuts = new Map<Element, readonly Box[]>()
  function cutsOf(element: Element): readonly Box[] {
    const known = cuts.get(element)
    if (known) return known
    const outer = element.parentElement ? cutsOf(element.parentElement) : []
    const isOpen = isWhole(element) || getComputedStyle(element).overflowX === 'visible'
    const found = isOpen ? outer : [...outer, element.getBoundingClientRect()]
    cuts.set(element, found)
    return found
  }
  const painted = shown
    // With a picture behind a text axe does not decide.
    .filter((element) => paints(element))
    .map((element) => ({ element, boxes: [...element.getClientRects()] }))
  // Its ground is that of the whole page.
  const isWhole = (element: Element) =>
    element === document.documentElement || (element === document.body && !isWholePainted)
  const textsOf = (element: Element) =>
    [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim())
      .flatMap((node) => {
        const range = document.createRange()
        range.selectNodeContents(node)
        return [...range.getClientRects()]
      })
  /** What of a line of text its elements do not cut off. */
  function uncut({ left, right, top, bottom }: Box, element: Element): Box | undefined {
    const cut = { left, right, top, bottom }
    for (const box of cutsOf(element)) {
      cut.left = Math.max(cut.left, box.left)
      cut.right = Math.min(cut.right, box.right)
    }
    return cut.left < cut.right ? cut : undefined
  }
  return (element: Element): string | undefined => {
    const found = groundOf(element)
    if (!found) return
    const isField = element.matches('input, select, textarea')
    const own = isField ? [...element.getClientRects()] : textsOf(element)
    for (const each of own) {
      const line = uncut(each, element)
      if (!line) continue
      const middle = (line.top + line.bottom) / 2
      const isIn = ({ left, right, top, bottom }: Box) =>
        left - 1 <= line.left && line.right <= right + 1 && top <= middle && middle <= bottom
      const meets = ({ left, right, top, bottom }: Box) =>
        left < line.right - 1 && line.left + 1 < right && top < middle && middle < bottom
      const sticksOut = found.painted.some(
        (it) => !isWhole(it) && ![...it.getClientRects()].some(isIn),
      )
      const isWithOther = painted.some(
        (it) => !it.element.contains(element) && it.boxes.some(meets),
      )
      if (sticksOut || isWithOther) return
    }
    return found.ground
  }
}

/** Whether something sticks out to the right, so that a phone would scroll sideways. */
export function overflowsSideways(): string[] {
  const isWider = document.documentElement.scrollWidth > window.innerWidth
  return isWider ? ['scrolls sideways'] : []
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
