// Shows the numbers of a chart's step in a tooltip: by pointer, touch and the arrow keys.

import { closest, findAll } from './page.js'

const tip = document.createElement('div')
tip.className = 'tip'
tip.setAttribute('role', 'status')
/** The index of the shown step. */
let current = -1
/** Whether a finger has just moved to the step. */
let isFirstTap = false

/** @param {HTMLElement} plot @param {number} index */
function show(plot, index) {
  const steps = findAll('.hits > *', plot)
  current = Math.max(0, Math.min(steps.length - 1, index))
  const step = steps[current]
  if (!step) return
  // The browser would show the title, too.
  step.dataset.tip ??= step.querySelector('title')?.textContent ?? ''
  step.querySelector('title')?.remove()
  for (const each of steps) each.classList.toggle('current', each === step)
  if (!plot.contains(tip)) plot.append(tip)
  tip.textContent = step.dataset.tip
  const [area, { left, width }] = [plot.getBoundingClientRect(), step.getBoundingClientRect()]
  const x = left + width / 2 - area.left - tip.offsetWidth / 2
  tip.style.left = `${Math.max(0, Math.min(area.width - tip.offsetWidth, x))}px`
}

/** @param {PointerEvent} event */
function point(event) {
  const plot = closest(event, '.plot')
  const hits = plot?.querySelector('.hits')
  if (!plot || !hits) return hide()
  const { left, width } = hits.getBoundingClientRect()
  const index = Math.floor(((event.clientX - left) / width) * hits.childElementCount)
  isFirstTap = event.pointerType === 'touch' && event.type === 'pointerdown' && index !== current
  if (index !== current || !tip.isConnected) show(plot, index)
}

function hide() {
  current = -1
  tip.remove()
  for (const step of findAll('.hits > .current')) step.classList.remove('current')
}

document.addEventListener('pointermove', point)
document.addEventListener('pointerdown', point)
document.addEventListener('focusout', hide)
// A first tap shows the numbers, and a second one opens the step.
document.addEventListener('click', (event) => {
  if (isFirstTap && closest(event, '.hits')) event.preventDefault()
})
document.addEventListener('keydown', (event) => {
  const plot = closest(event, '.plot')
  if (!plot || event.altKey || !/^Arrow(Left|Right)$/.test(event.key)) return
  event.preventDefault()
  show(plot, current + (event.key === 'ArrowLeft' ? -1 : 1))
})
