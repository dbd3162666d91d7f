// Offers the time zone of the browser where another one is entered.
const field = document.getElementById('timeZone')
const button = document.querySelector('[data-browser-zone]')
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

if (field instanceof HTMLInputElement && button instanceof HTMLElement && field.value !== zone) {
  button.textContent = `${button.textContent}: ${zone}`
  button.hidden = false
  button.addEventListener('click', () => {
    field.value = zone
    button.hidden = true
    field.focus()
  })
}
