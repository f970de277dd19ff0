import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { focusedName } from '../../packages/connect/src/page-checks.testkit.ts'

/** What a customer does without a mouse. */

/**
 * Logs an error when a page of the context is used in another way than by its keys: a click of a mouse, or a value that
 * a script sets. A key that chooses or types sends its `input` while it is down.
 */
const watchKeys = `{
  let isDown = false
  addEventListener('keydown', () => { isDown = true }, true)
  addEventListener('keyup', () => setTimeout(() => { isDown = false }), true)
  addEventListener('pointerdown', () => console.error('A pointer was used.'), true)
  addEventListener('input', () => { if (!isDown) console.error('A value was set without a key.') }, true)
}`
export async function allowKeysOnly(context: BrowserContext): Promise<void> {
  await context.addInitScript(watchKeys)
}

/** Waits until the browser has moved the focus, as after a page was loaded. */
export async function hasFocus(page: Page, name: string): Promise<void> {
  await expect.poll(() => focusedName(page).catch(() => ''), { timeout: 30_000 }).toBe(name)
}

/** Presses Tab until something with this name has the focus; after the last element, the first one follows. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    const focused = await focusedName(page)
    if (typeof name === 'string' ? focused === name : name.test(focused)) return
    seen.push(focused)
  }
  throw new Error(`nothing named ${name} among: ${seen.join(' | ')}`)
}

/** Moves to a button or link, and presses Enter. */
export async function press(page: Page, name: string | RegExp, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

/** Moves to a field, whose text the browser selects, and types. A radio button may have the same name. */
export async function type(page: Page, name: string, text: string): Promise<void> {
  do await tabTo(page, name)
  while (!(await isInText(page)))
  await page.keyboard.type(text)
}

function isInText(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    let one = document.activeElement
    while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
    return one instanceof HTMLInputElement && one.type === 'text'
  })()`)
}

/** Moves to a group of radio buttons, and down to one of them. */
export async function choose(page: Page, name: string, group: RegExp): Promise<void> {
  await tabTo(page, group)
  for (let presses = 0; presses < 10 && (await focusedName(page)) !== name; presses++)
    await page.keyboard.press('ArrowDown')
  expect(await focusedName(page)).toBe(name)
}

/** Moves to a searchable list of fields, and chooses the first one that the text finds. */
export async function pick(page: Page, list: string, text: string): Promise<void> {
  await tabTo(page, list)
  await pickHere(page, text)
}

/** Opens the list of a match, which takes the focus, and chooses the first field that the text finds. */
export async function match(page: Page, name: RegExp, text: string): Promise<void> {
  await press(page, name)
  await pickHere(page, text)
}

async function pickHere(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text)
  await page.getByRole('option', { name: text }).first().waitFor()
  await page.keyboard.press('Enter')
}

/** Signs in at the CRM, and allows access. */
export async function allowAccessByKeys(page: Page): Promise<void> {
  await hasFocus(page, 'Email address')
  await page.keyboard.type('ada@acme.example')
  await page.keyboard.press('Tab')
  await page.keyboard.type('acme')
  await page.keyboard.press('Enter')
  await hasFocus(page, 'Allow access')
  await page.keyboard.press('Enter')
}
