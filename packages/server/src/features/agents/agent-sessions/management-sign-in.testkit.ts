import { type Browser, openBrowser, type Shown } from '../../../testkit/browser.ts'
import type { TestApp } from '../../../testkit/test-app.ts'
import { type BegunSignIn, type ClientKit, clientKit, type TokensBody } from './sign-in.testkit.ts'

export interface Person {
  email: string
  password: string
}

export interface Decision {
  access?: 'read' | 'change'
  decision?: 'connect' | 'refuse'
}

/** The steps of clients, and of builders in their browsers. */
export interface ManagementKit extends ClientKit {
  /** Opens the page of a sign-in as a person who first signs in. */
  consentPage(browser: Browser, id: string, person: Person): Promise<Shown>
  decide(browser: Browser, page: Shown, decision?: Decision): Promise<Shown>
  code(person: Person, decision?: Decision): Promise<BegunSignIn & { code: string }>
  tokens(person: Person, decision?: Decision): Promise<TokensBody & { clientId: string; browser: Browser }>
}

export function managementKit(app: TestApp, publicUrl: string): ManagementKit {
  const steps = clientKit(app, publicUrl, `${publicUrl}/mcp/v1/manage`)
  const kit: ManagementKit = {
    ...steps,
    // The browser of the tests has the public address as its origin.
    authorize: (clientId, { browser = openBrowser(app.url, { origin: publicUrl }), ...options } = {}) =>
      steps.authorize(clientId, { browser, ...options }),
    async begin(clientId) {
      const id = clientId ?? (await kit.register())
      const { shown, browser, verifier } = await kit.authorize(id)
      if (shown.status !== 303 || shown.location === null) throw new Error(shown.text)
      return { id: new URL(shown.location).searchParams.get('request') ?? '', browser, clientId: id, verifier }
    },
    async consentPage(browser, id, { email, password }) {
      const path = `/signin/agent?request=${id}`
      const first = await browser.get(path)
      if (first.status === 200) return first
      if (first.location === null) return first
      const signIn = await browser.get(first.location)
      const sent = await browser.submit(signIn, { email, password }, { headers: { origin: publicUrl } })
      if (sent.status !== 303) throw new Error(sent.text)
      return await browser.get(sent.location ?? '')
    },
    decide: (browser, page, { access = 'read', decision = 'connect' } = {}) =>
      browser.submit(page, { access, decision }, { action: '/signin/agent', headers: { origin: publicUrl } }),
    async code(person, decision) {
      const begun = await kit.begin()
      const page = await kit.consentPage(begun.browser, begun.id, person)
      const sent = await kit.decide(begun.browser, page, decision)
      if (sent.status !== 303 || sent.location === null) throw new Error(sent.text)
      return { ...begun, code: new URL(sent.location).searchParams.get('code') ?? '' }
    },
    async tokens(person, decision) {
      const begun = await kit.code(person, decision)
      const { status, body } = await kit.exchange(begun)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return { ...body, clientId: begun.clientId, browser: begun.browser }
    },
  }
  return kit
}
