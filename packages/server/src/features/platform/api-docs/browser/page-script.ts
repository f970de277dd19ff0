/**
 * Runs in the browser on every page of `/docs`, which are complete without it: filters lists, copies samples and sends
 * requests. The service removes the types and serves the rest as it is, so this file imports nothing.
 */
export {}

/** Maximum length of a response on the page, in characters. */
const shownMax = 200_000

addFilter()
addCopyButtons()
for (const template of document.querySelectorAll<HTMLTemplateElement>('template.try')) addForm(template)

function addFilter(): void {
  const filter = document.querySelector<HTMLInputElement>('[data-filter]')
  const search = document.querySelector<HTMLInputElement>('[name=q]')
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || document.activeElement?.matches('input,textarea,select')) return
    event.preventDefault()
    ;(filter ?? search)?.focus()
  })
  if (filter === null) return
  const rows = [...document.querySelectorAll<HTMLElement>('[data-find]')]
  const none = document.querySelector<HTMLElement>('[data-none]')
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const row of rows) row.hidden = !words.every((word) => row.dataset['find']?.includes(word))
    for (const section of document.querySelectorAll('section'))
      section.hidden = section.querySelector('[data-find]:not([hidden])') === null
    if (none !== null) none.hidden = rows.some((row) => !row.hidden)
  }
  filter.hidden = false
  filter.addEventListener('input', apply)
  apply()
}

function addCopyButtons(): void {
  if (!navigator.clipboard) return
  for (const button of document.querySelectorAll<HTMLElement>('.copy')) {
    button.hidden = false
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.parentElement?.querySelector('code')?.textContent ?? '')
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
  }
}

/** Shows the form of an endpoint. A key that you enter into one form is in all forms of the page, and nowhere else. */
function addForm(template: HTMLTemplateElement): void {
  const details = template.content.querySelector('details')
  const form = details?.querySelector('form')
  if (!details || !form) return
  template.replaceWith(details)
  const stop = find(form, '[data-stop]')
  let running = new AbortController()
  stop.addEventListener('click', () => running.abort())
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.dataset['secret'] !== undefined) shareSecret(target)
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { method = '', path = '' } = form.dataset
    if (method === 'DELETE' && !confirm(`Send ${method} ${path}? You may not be able to undo this.`)) return
    running.abort()
    running = new AbortController()
    const { signal } = running
    stop.hidden = false
    try {
      await send(form, details, signal)
    } catch (error) {
      if (running.signal === signal)
        find(details, '[role=status]').textContent = signal.aborted ? 'Stopped.' : `No response: ${error}`
    }
    if (running.signal === signal) stop.hidden = true
  })
}

function shareSecret({ dataset, value }: HTMLInputElement): void {
  for (const other of document.querySelectorAll<HTMLInputElement>('[data-secret]'))
    if (other.dataset['name'] === dataset['name'] && other.value !== value) other.value = value
}

async function send(form: HTMLFormElement, details: Element, signal: AbortSignal): Promise<void> {
  const status = find(details, '[role=status]')
  const answer = find(details, '[data-answer]')
  const [headers, body] = [find(answer, '[data-headers]'), find(answer, '[data-response]')]
  answer.hidden = true
  body.textContent = ''
  status.textContent = 'Sending…'
  const began = performance.now()
  // biome-ignore lint/style/noRestrictedGlobals: this runs in the browser, and the policy of the page allows this service only
  const response = await fetch(...requestOf(form, signal))
  const isRedirect = response.type === 'opaqueredirect'
  const result = `${response.status} ${response.statusText}`.trim()
  status.textContent = isRedirect
    ? 'The response is a redirect, which this page does not follow.'
    : `${result} in ${Math.round(performance.now() - began)} ms`
  headers.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  answer.hidden = isRedirect
  await show(response, body)
}

/** Builds the request: to this service only, without cookies. */
function requestOf(form: HTMLFormElement, signal: AbortSignal): [URL, RequestInit] {
  let { method = '', path = '' } = form.dataset
  const query = new URLSearchParams()
  const headers = new Headers()
  for (const field of form.querySelectorAll<HTMLInputElement>('[data-in]')) {
    const { in: place, name = '', prefix = '' } = field.dataset
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(field.value))
    else if (field.value !== '' && place === 'query') query.append(name, field.value)
    else if (field.value !== '') headers.set(name, prefix + field.value)
  }
  const input = form.querySelector<HTMLInputElement>('[data-body]')
  const body = input?.files?.[0] ?? (input?.value || null)
  if (body !== null) headers.set('content-type', input?.dataset['body'] ?? '')
  const url = new URL(`${path}${query.size > 0 ? `?${query}` : ''}`, location.origin)
  return [
    url,
    { method, headers, body, signal, mode: 'same-origin', credentials: 'omit', redirect: 'manual', cache: 'no-store' },
  ]
}

/** Shows the body as text while it arrives, so that streams of events show, too. */
async function show(response: Response, block: HTMLElement): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  const isText = /^text\/|json|yaml|xml/.test(type)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (
    let part = await reader?.read();
    part && !part.done && isText && text.length < shownMax;
    part = await reader?.read()
  )
    block.textContent = text += part.value
  if (text.length >= shownMax || !isText) await reader?.cancel()
  if (text.length >= shownMax) block.textContent = `${text.slice(0, shownMax)}…\n(The rest is not shown.)`
  else if (type.includes('json')) block.textContent = indented(text)
  else if (text === '') block.textContent = isText || type === '' ? '(no body)' : `(${type} is not shown)`
}

/** Indents JSON without parsing it: numbers and the order of keys stay as they were sent. */
function indented(json: string): string {
  let depth = 0
  const line = () => `\n${' '.repeat(2 * depth)}`
  let isOpen = false
  return json.replace(/"(?:\\[\s\S]|[^"\\])*"?|[{}[\],:]|\s+|[^\s"{}[\],:]+/g, (token) => {
    const text = token.trim()
    if (text === '') return ''
    const wasOpen = isOpen
    const closes = text === '}' || text === ']'
    const before = wasOpen && !closes ? line() : ''
    isOpen = text === '{' || text === '['
    if (isOpen) depth++
    if (closes) depth--
    if (closes) return wasOpen ? text : line() + text
    if (text === ',') return text + line()
    return text === ':' ? ': ' : before + text
  })
}

function find(inside: ParentNode, selector: string): HTMLElement {
  const found = inside.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`${selector} is missing`)
  return found
}
