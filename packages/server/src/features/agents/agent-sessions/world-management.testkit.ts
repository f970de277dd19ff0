import type { Browser } from '../../../testkit/browser.ts'
import { publicUrl, type World } from '../../../testkit/world.ts'
import { type ManagementKit, managementKit } from './management-sign-in.testkit.ts'

/** The sign-in of builders in the examples. */
export function startWorldManagement({ app }: World): ManagementKit {
  return managementKit(app, publicUrl)
}

/** Begins a sign-in in a browser of somebody who is signed in. */
export async function beginInBrowser(world: World) {
  const kit = startWorldManagement(world)
  const clientId = await kit.register()
  const browser: Browser = await world.browser('signed in')
  const { shown, verifier } = await kit.authorize(clientId, { browser })
  const id = new URL(shown.location ?? '').searchParams.get('request') ?? ''
  return { kit, clientId, browser, verifier, id }
}

/** The same, up to the code. */
export async function codeInBrowser(world: World) {
  const begun = await beginInBrowser(world)
  const sent = await begun.kit.decide(begun.browser, await begun.browser.get(`/signin/agent?request=${begun.id}`))
  return { ...begun, code: new URL(sent.location ?? '').searchParams.get('code') ?? '' }
}
