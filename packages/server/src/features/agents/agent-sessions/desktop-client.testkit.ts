import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { expect } from 'vitest'
import { openBrowser } from '../../../testkit/browser.ts'
import type { TestApp } from '../../../testkit/test-app.ts'
import { callback, type SignInKit, signInPage } from './sign-in.testkit.ts'

/** A desktop client that keeps its state in memory, as the official SDK wants it. */
export class DesktopClient implements OAuthClientProvider {
  client: OAuthClientInformationMixed | undefined
  saved: OAuthTokens | undefined
  verifier = ''
  opened: URL | undefined
  readonly redirectUrl: string
  readonly clientMetadata: { client_name: string; redirect_uris: string[]; scope: string }
  readonly clientMetadataUrl?: string
  constructor(clientMetadataUrl?: string, redirectUrl = callback) {
    this.redirectUrl = redirectUrl
    this.clientMetadata = { client_name: 'Desk “1”\n', redirect_uris: [redirectUrl], scope: 'offline' }
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }
  state = () => 'state of the client'
  clientInformation = () => this.client
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.client = client
  }
  tokens = () => this.saved
  saveTokens = (tokens: OAuthTokens) => {
    this.saved = tokens
  }
  redirectToAuthorization = (url: URL) => {
    this.opened = url
  }
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
}

/** The person at the browser, and the builder's page. Returns the code that the client gets. */
export async function atTheBrowser(
  app: TestApp,
  signIn: SignInKit,
  url: URL,
  groupRef: string,
): Promise<{ code: string; asked: Record<string, unknown> }> {
  const browser = openBrowser(app.url)
  const page = await signIn.follow(browser, url.href)
  expect(page.status, page.text).toBe(303)
  expect(page.location).toMatch(`${signInPage}&request=`)
  const id = new URL(page.location ?? '').searchParams.get('request') ?? ''
  const asked = await app.call<Record<string, unknown>>('GET', `/projects/${app.projectId}/agent-sign-ins/${id}`)
  const back = await signIn.follow(browser, await signIn.complete(id, { groupRef }))
  const answer = new URL(back.location ?? '')
  expect(`${answer.origin}${answer.pathname}`).toBe(callback)
  expect(answer.searchParams.get('state')).toBe('state of the client')
  expect(answer.searchParams.get('iss')).toBe(signIn.mcp)
  return { code: answer.searchParams.get('code') ?? '', asked: asked.body }
}
