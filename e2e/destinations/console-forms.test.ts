import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/console/src/pages/destinations/destination-kinds.ts'
import { textsOf } from '../../packages/console/src/pages/destinations/field-values.ts'
import { kindsToTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { destinationKinds } from '../../packages/server/src/features/messaging/kinds/index.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from '../console-journeys/console.testkit.ts'

/**
 * A developer creates a destination of each type in the form of the console and sends a test message, to a server of
 * its kind. Left out where the machine has no Chromium.
 */

const waits = { timeout: 30_000 }
const external = (await kindsToTest(destinationKinds)).filter(({ harness }) => !harness.isInternal)

describe.skipIf(chromiumPath === undefined)('the form of destinations', () => {
  let app: TestApp
  let kit: ConsoleKit
  beforeAll(async () => {
    app = await startTestApp()
    kit = await startConsoleKit(app)
  })
  afterAll(async () => {
    await kit?.stop()
    await app?.stop()
  })

  test.each(external)(
    'creates $label, and its test passes',
    async ({ label, kind, harness }) => {
      const target = await harness.start()
      const page = await kit.open('/default/destinations', { email: 'dora@example.com', role: 'developer' })
      try {
        await page.getByRole('button', { name: 'Create destination' }).first().click(waits)
        const form = page.getByRole('dialog')
        await form.getByLabel('Kind').selectOption({ label: kinds[kind.name]?.label ?? '' })
        await form.getByLabel('Name', { exact: true }).fill(`console-${label}`)
        const { fields = [] } = kinds[kind.name] ?? {}
        const texts = textsOf(fields, target.settings)
        if (fields.some(({ isRare }) => isRare)) await form.getByText('Further settings').click()
        for (const { name, label: shown, optional, input } of fields.filter(({ name }) => texts[name])) {
          const field = form.getByLabel(optional ? `${shown} (optional)` : shown, { exact: true })
          if (input === 'choice' || input === 'boolean') await field.selectOption(texts[name] ?? '')
          else await field.fill(texts[name] ?? '')
        }
        await form.getByRole('button', { name: 'Create destination' }).click()
        await page.getByRole('heading', { name: `console-${label}` }).waitFor(waits)
        await page.getByRole('button', { name: 'Send a test message' }).click()
        const hasTables = /^(?:postgres|mysql|.+-tables)$/.test(label)
        await page.getByText(hasTables ? 'It can store messages' : 'It arrived').waitFor(waits)
        expect(await page.content()).not.toContain(target.secret)
        expect(kit.failures).toEqual([])
      } finally {
        await page.context().close()
        await target.stop()
      }
    },
    120_000,
  )
})
