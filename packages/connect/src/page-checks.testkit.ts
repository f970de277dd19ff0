import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Frame, Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const runAxe = `axe.run({ runOnly: ${JSON.stringify(rules)} })
  .then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary))))`

/** Returns what axe finds on a page. It runs through the debugger, which the policy of the page does not concern. */
export async function axeFindings(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page)
  await client.send('Runtime.evaluate', { expression: axeSource })
  const { result } = await client.send('Runtime.evaluate', { expression: runAxe, awaitPromise: true })
  await client.detach()
  return JSON.parse(String(result.value)) as string[]
}

/** Returns what axe finds inside a frame, into which it does not look from the page around it. */
export async function axeFindingsIn(frame: Frame): Promise<string[]> {
  await frame.evaluate(axeSource)
  return JSON.parse(await frame.evaluate<string>(runAxe)) as string[]
}

/** Returns the name of what has the focus, as assistive technology reads it. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    let one = document.activeElement
    while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
    const labels = one?.getAttribute('aria-labelledby')?.split(' ').map((id) => one.getRootNode().getElementById(id)?.textContent)
    const text = one?.getAttribute('aria-label') ?? labels?.join(' ') ?? (one?.labels?.[0] ?? one)?.textContent ?? ''
    return text.trim().replace(/\\s+/g, ' ')
  })()`)
}

/** Whether the page is as wide as its window. */
export function fitsWindow(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')
}
