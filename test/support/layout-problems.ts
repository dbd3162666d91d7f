// These functions run in the page, so each must be self-contained.

/** Properties of `window` that keep state between calls. */
type SavedState = {
  /** The controls visible at the initial width. */
  controls?: HTMLElement[]
}

/** Returns a problem if the page is wider than the window, so that it scrolls sideways. */
export function findSidewaysOverflow(): string[] {
  const isWider = document.documentElement.scrollWidth > window.innerWidth
  return isWider ? ['scrolls sideways'] : []
}

/**
 * Returns ids that several elements have. Labels and links find only the first, and axe can take
 * seconds if it is the whole page.
 */
export function findRepeatedIds(): string[] {
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
  return [...repeated].map((id) => `several elements have the id ${id}`)
}

/** Returns menu links and buttons with more lines than words, in which a word is broken. */
export function findBrokenLabels(): string[] {
  return [...document.querySelectorAll('nav a, button, .button')].flatMap((link) => {
    const texts = [...link.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
    const rects = texts.flatMap((text) => {
      const range = document.createRange()
      range.selectNodeContents(text)
      return [...range.getClientRects()]
    })
    const lines = new Set(rects.map(({ top }) => Math.round(top)))
    const text = link.textContent.trim()
    return lines.size > text.split(/\s+/).length ? [`wraps within a word: ${text}`] : []
  })
}

/**
 * Returns controls that a pointer cannot reach because something covers them. If the page was
 * resized, also controls that were visible before and no longer are.
 */
export function findUnreachableControls(isResized: boolean): string[] {
  const popover = [...document.querySelectorAll('[popover]:popover-open')].at(-1)
  const top = document.querySelector('dialog:modal') ?? popover ?? document
  const controls = [
    ...top.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary'),
  ].filter((control) => control.checkVisibility({ visibilityProperty: true }))
  const state = window as unknown as SavedState
  // At another width, another link to the same page or the popover of a button may replace it.
  const isReplaced = (control: HTMLElement) =>
    control instanceof HTMLAnchorElement
      ? controls.some((other) => other instanceof HTMLAnchorElement && other.href === control.href)
      : control instanceof HTMLButtonElement && control.popoverTargetElement?.checkVisibility()
  const missing = ((isResized && state.controls) || []).filter(
    (control) =>
      !controls.includes(control) && !control.closest('details, [popover]') && !isReplaced(control),
  )
  if (!isResized) state.controls = controls
  const isOnTop = (control: HTMLElement) => {
    const labels = 'labels' in control ? [...((control.labels as NodeList | null) ?? [])] : []
    return [...control.getClientRects()].some(({ left, top, width, height }) =>
      [
        document.elementFromPoint(left + width / 2, top + height / 2),
        document.elementFromPoint(left + Math.min(8, width / 2), top + Math.min(8, height / 2)),
      ].some(
        (hit) =>
          hit &&
          // An open menu may cover other controls.
          (hit.closest('.row-menu[open]') ||
            [control, ...labels].some((element) => element.contains(hit))),
      ),
    )
  }
  const covered = controls.filter((control) => {
    // Skips controls that only keyboards or scripts use.
    if (control.tabIndex < 0 || getComputedStyle(control).pointerEvents === 'none') return false
    const pageTop = control.getBoundingClientRect().top + window.scrollY
    window.scrollTo({ top: pageTop - window.innerHeight / 2, behavior: 'instant' })
    if (isOnTop(control)) return false
    // The control may be inside a scrolling element.
    control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    return !isOnTop(control)
  })
  window.scrollTo({ top: 0, behavior: 'instant' })
  const describeControl = (control: Element) => control.outerHTML.slice(0, 120)
  return [
    ...missing.map((control) => `no longer shows: ${describeControl(control)}`),
    ...covered.map((control) => `cannot be reached: ${describeControl(control)}`),
  ]
}
