import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { startToolsKit, type ToolsKit } from '../../packages/server/src/testkit/tools-kit.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * People decide about calls of agents, find what agents did, and call a tool themselves. Left out where the machine has
 * no Chromium.
 */

const operator = { email: 'otto@example.com', role: 'operator' } as const
const developer = { email: 'dora@example.com', role: 'developer' } as const
const viewer = { email: 'vera@example.com', role: 'viewer' } as const
const waits = { timeout: 30_000 }

describe.skipIf(chromiumPath === undefined)('with agents', () => {
  let service: ToolsKit
  let kit: ConsoleKit
  let group = ''

  beforeAll(async () => {
    service = await startToolsKit()
    group = await service.group({ confirm: { update: 'approval', delete: 'approval' } })
    kit = await startConsoleKit(service.app, { MORTISE_PROVIDERS_DIR: sampleCrmProviders })
  })
  afterAll(async () => {
    await kit?.stop()
    await service?.stop()
  })

  async function request(tool: string, args: object): Promise<string> {
    const { content } = await service.call(group, tool, args, { agent: 'helper', consumerRef: 'ada' })
    expect(content.status).toBe('waiting_for_approval')
    return content.approvalId ?? ''
  }
  const update = (id: string, score: number) => request('update_people', { id, fields: { score, first_name: 'New' } })

  async function contact(id: string): Promise<{ status: number; score?: number }> {
    const answer = await fetch(`${service.crm.url}/contacts/${id}`, { headers: { 'x-api-key': service.crm.apiKey } })
    return { status: answer.status, ...((await answer.json()) as { score?: number }) }
  }
  const panel = (page: Page) => page.getByRole('dialog', { name: 'Approval' })

  test('an operator finds a call by keys, sees what it changes, and approves it', async () => {
    await update('con_0000001', 77)
    const page = await kit.open('/default/overview', operator)
    await page.getByRole('link', { name: 'Approvals 1 waiting' }).click(waits)
    await page.getByRole('row').nth(1).waitFor(waits)
    await kit.check(page)
    await page.getByRole('grid', { name: 'Approvals' }).focus()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await panel(page).getByText('The agent helper wants to change the record').waitFor(waits)
    await panel(page).getByRole('row', { name: 'score 77' }).waitFor()
    await panel(page).getByText('ada').waitFor()
    // The values of an account are for developers.
    expect(await panel(page).getByRole('button', { name: 'Read the current values' }).count()).toBe(0)
    await kit.check(page)
    await panel(page).getByLabel('Comment').fill('Checked with the customer.')
    await panel(page).getByRole('button', { name: 'Approve' }).click()
    await panel(page).getByText('The call is done.').waitFor(waits)
    await panel(page).getByText('Checked with the customer.').waitFor()
    expect(await contact('con_0000001')).toMatchObject({ score: 77 })
    await kit.check(page)
    await page.keyboard.press('Escape')
    await page.getByText('No call waits for approval').waitFor(waits)
    await page.getByRole('link', { name: 'Approvals', exact: true }).waitFor(waits)
  })

  test('an operator refuses a call, and nothing changes', async () => {
    const id = await update('con_0000002', 78)
    const before = await contact('con_0000002')
    const page = await kit.open(`/default/approvals?open=${id}`, operator)
    await panel(page).getByLabel('Comment').fill('Ask sales first.')
    await panel(page).getByRole('button', { name: 'Refuse' }).click()
    await panel(page).getByText('Nothing has changed in the account.').waitFor(waits)
    await panel(page).getByText('Refused by').waitFor()
    expect(await contact('con_0000002')).toEqual(before)
  })

  test('a deletion asks once more, and names the record', async () => {
    const id = await request('delete_people', { id: 'con_0000003' })
    const page = await kit.open(`/default/approvals?open=${id}`, operator)
    await panel(page).getByText('Mortise cannot restore it.').waitFor(waits)
    await panel(page).getByRole('button', { name: 'Approve…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve the deletion' })
    await dialog.getByText(`The record con_0000003 of contacts is deleted in the account of ${group}.`).waitFor()
    await kit.check(page)
    expect((await contact('con_0000003')).status).toBe(200)
    await dialog.getByRole('button', { name: 'Approve and delete' }).click()
    await panel(page).getByText('The call is done.').waitFor(waits)
    expect((await contact('con_0000003')).status).toBe(404)
  })

  test('whoever decides second sees why nothing happened, and who was first', async () => {
    const id = await update('con_0000004', 79)
    const page = await kit.open(`/default/approvals?open=${id}`, operator)
    await panel(page).getByRole('button', { name: 'Approve' }).waitFor(waits)
    let release = () => {}
    const decided = new Promise<void>((resolve) => {
      release = resolve
    })
    // The page learns nothing until it has asked.
    await page.route(`**/approvals/${id}`, (route) => decided.then(() => route.continue()))
    const first = await service.app.call('POST', `${service.base}/approvals/${id}:refuse`, { comment: 'Too late.' })
    expect(first.status).toBe(200)
    await panel(page).getByRole('button', { name: 'Approve' }).click()
    await panel(page).getByRole('alert').getByText('The status of the request is refused.').waitFor(waits)
    release()
    await panel(page).getByText('Too late.').waitFor(waits)
    await panel(page).getByRole('alert').waitFor()
    await kit.check(page)
  })

  test('a developer compares a change with the account, and a viewer cannot decide', async () => {
    const id = await update('con_0000005', 80)
    const { score } = await contact('con_0000005')
    const page = await kit.open(`/default/approvals?open=${id}`, developer)
    await panel(page).getByRole('button', { name: 'Read the current values' }).click(waits)
    await panel(page)
      .getByRole('row', { name: `score ${score} 80` })
      .waitFor(waits)
    await kit.check(page)

    const seen = await kit.open(`/default/approvals?open=${id}`, viewer)
    await panel(seen).getByText('An operator can approve or refuse this call.').waitFor(waits)
    expect(
      await panel(seen)
        .getByRole('button', { name: /Approve|Refuse/ })
        .count(),
    ).toBe(0)
    await kit.check(seen)
  })

  test('a request that expired cannot be decided', async () => {
    const id = await update('con_0000006', 81)
    await service.app.db.sql
      .updateTable('approvals')
      .set({ expire_time: new Date(Date.now() - 1_000) })
      .where('id', '=', id)
      .execute()
    const page = await kit.open(`/default/approvals?status=all&open=${id}`, operator)
    await panel(page).getByText('Nobody decided in time.').waitFor(waits)
    expect(
      await panel(page)
        .getByRole('button', { name: /Approve|Refuse/ })
        .count(),
    ).toBe(0)
  })

  test('a request for the user of a client is shown, and decided by this user only', async () => {
    const id = await update('con_0000007', 82)
    const change = (values: object) =>
      service.app.db.sql.updateTable('approvals').set(values).where('id', '=', id).execute()
    await change({ decider: 'user' })
    const page = await kit.open('/default/approvals?status=asking', operator)
    await page.getByRole('row').nth(1).getByText('Asking').waitFor(waits)
    await page.goto(`${new URL(page.url()).origin}${new URL(page.url()).pathname}?status=asking&open=${id}`)
    await panel(page).getByText('The client asks its user.').waitFor(waits)
    const buttons = panel(page).getByRole('button', { name: /Approve|Refuse/ })
    expect(await buttons.count()).toBe(0)
    await kit.check(page)
    await change({ status: 'refused', decided_by: 'user', decide_time: new Date() })
    await panel(page).getByText('Refused by the user of helper (ada)').waitFor(waits)
    await kit.check(page)
  })

  test('a developer finds a call of an agent, and calls the tool again', async () => {
    await service.call(group, 'search_people', { where: { email: 'no@x.example' }, limit: 3 }, { agent: 'helper' })
    const page = await kit.open('/default/operations', developer)
    await page.getByLabel('Kind').selectOption('tool')
    await page.getByRole('link', { name: 'Tool search_people' }).first().click(waits)
    await page.getByRole('heading', { name: 'Arguments, without values' }).waitFor(waits)
    await page.locator('main').getByText('helper').first().waitFor()
    expect(await page.locator('main').innerText()).not.toContain('no@x.example')
    await kit.check(page)
    await page.getByRole('link', { name: 'Call again…' }).click()
    await page.getByText('That call had a value for email.').waitFor(waits)
    expect(await page.getByLabel('limit').inputValue()).toBe('3')
    await page.getByLabel('email').fill('approved@x.example')
    await kit.check(page)
    await page.getByRole('button', { name: 'Call search_people' }).click()
    await page.getByRole('status').getByText('Done').waitFor(waits)
    await page.getByText('providerData').first().waitFor()
    await kit.check(page)
    await page.getByRole('link', { name: 'Open the operation' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tool search_people' }).waitFor(waits)
  })

  test('a tool that changes the account asks first, and says that it waits for approval', async () => {
    const page = await kit.open(`/default/explorer/tool?groupRef=${group}&tool=update_people`, developer)
    await page.getByLabel('id', { exact: true }).fill('con_0000007', waits)
    await page.getByLabel('score').fill('many')
    await page.getByRole('button', { name: 'Call update_people' }).click()
    const dialog = page.getByRole('dialog', { name: 'Call update_people' })
    await kit.check(page)
    await dialog.getByRole('button', { name: 'Request approval' }).click()
    await page.getByRole('heading', { name: 'The arguments cannot be used.' }).waitFor(waits)
    await page.getByLabel('score').fill('5')
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    await page.locator('.cm-content').getByText('"con_0000007"').waitFor(waits)
    await page.getByRole('button', { name: 'Edit as a form' }).click()
    await page.getByRole('button', { name: 'Call update_people' }).click()
    await dialog.getByRole('button', { name: 'Request approval' }).click()
    await page.getByRole('status').getByText('Waits for approval').waitFor(waits)
    await page.getByRole('link', { name: 'Open the approval' }).click()
    await panel(page).getByRole('row', { name: 'score 5' }).waitFor(waits)
  })

  test('a customer without tools, and an operator, learn why there are none', async () => {
    const page = await kit.open('/default/explorer/tool?groupRef=nobody', developer)
    await page.getByText('Agents have no tools for nobody').waitFor(waits)
    await kit.check(page)
    const seen = await kit.open(`/default/explorer/tool?groupRef=${group}`, operator)
    await seen.getByText('Developers can call tools').waitFor(waits)
    await kit.check(seen)
  })

  test('meets no error of a page and of its policy', () => {
    expect(kit.failures).toEqual([])
  })

  test('a developer sets the page that signs customers in for MCP clients', async () => {
    const page = await kit.open('/default/settings', developer)
    const field = page.getByLabel('Sign-in page')
    await field.waitFor(waits)
    await page.getByText(`${kit.url}/mcp/v1/projects/default`).waitFor()
    await kit.check(page)
    await field.fill('http://app.example.com/sign-in')
    await page.getByRole('button', { name: 'Save sign-in page' }).click()
    await page.getByText('must be an https URL').first().waitFor(waits)
    await field.fill('https://app.example.com/sign-in')
    await page.getByRole('button', { name: 'Save sign-in page' }).click()
    await page.getByText('The sign-in page was changed').waitFor(waits)
    const { body } = await service.app.call<{ agentSignInUrl?: string }>('GET', service.base)
    expect(body.agentSignInUrl).toBe('https://app.example.com/sign-in')
  })
})
