import type { Readable } from 'node:stream'
import { type TProperties, Type } from 'typebox'
import type { Config } from '../../../config.ts'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import {
  type AuditNote,
  type AuditPart,
  Empty,
  type Endpoint,
  endpoint,
  isSameOrigin,
  pageHeaders,
  readForm,
  reply,
} from '../../../kernel/http/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { browserOf, deviceOf, formToken, halfTokenOf, isFormToken, resetTokenOf, sessionTokenHash } from './browser.ts'
import type { BuilderTokens } from './builder-token.ts'
import { localPath } from './next-path.ts'
import { noteUse } from './note-use.ts'
import { messagePage, type Page } from './pages/page.ts'
import type { Passwords } from './password.ts'
import { findSessionByToken, type SessionOwner } from './session-store.ts'
import type { SingleSignOn } from './single-sign-on.ts'

export type PageServices = {
  config: Config
  database: Database
  keyring: Keyring
  newId: NewId
  now: () => Date
  builderTokens: BuilderTokens
  passwords: Passwords
  publicUrl: string
  queue: JobQueue
  log: Logger
  singleSignOn: SingleSignOn | undefined
}

/** The request of a page or form, and the browser that sent it. */
export interface PageContext {
  query: Record<string, string | undefined>
  headers: Record<string, string | string[] | undefined>
  /** Empty for a page without a submitted form. */
  form: URLSearchParams
  /** Path and query as received. */
  url: string
  address: string
  userAgent: string | undefined
  /** Identifies this browser. */
  browserSecret: string
  /** The device cookie, as the browser sent it. */
  device: string | undefined
  /** The token of the password reset link that this browser opened. */
  resetToken: string | undefined
  /** The token of a sign-in of this browser that waits for the second factor. */
  halfToken: string | undefined
  /** The signed-in builder. */
  owner: SessionOwner | undefined
  /** Value of the field `form` in the page's forms. */
  formToken: string
  /** Adds to the entry in the audit log. A form leaves one only with an outcome. */
  note(note: AuditNote): void
}

/** A redirect, with the cookies to set. */
export interface Redirect {
  to: string
  cookies?: string[]
  headers?: Record<string, string>
}

interface PageDeclaration {
  id: string
  path: string
  summary: string
  description?: string
  query?: TProperties
  /** People who still have to set up a second factor may open it. Others of our pages lead them to do so. */
  beforeSecondFactor?: true
  audit?: AuditPart
  run: (context: PageContext, services: PageServices) => Promise<(Page & { cookies?: string[] }) | Redirect>
}

/** Declares a page. */
export function shownPage(declaration: PageDeclaration): Endpoint<PageServices> {
  return declared('GET', declaration)
}

/** Declares the endpoint of a page's form. It runs only for forms that our own pages showed to this very browser. */
export function sentForm(declaration: PageDeclaration): Endpoint<PageServices> {
  return declared('POST', declaration)
}

const text = Type.String()
const formBytesMax = 16 * 1_024

function declared(method: 'GET' | 'POST', declaration: PageDeclaration): Endpoint<PageServices> {
  return endpoint({
    id: declaration.id,
    method,
    path: declaration.path,
    access: 'public',
    summary: declaration.summary,
    ...(declaration.description && { description: declaration.description }),
    tag: 'Sign-in',
    extension: true,
    ...(declaration.audit && { audit: declaration.audit }),
    query: Type.Object(declaration.query ?? {}),
    ...(method === 'POST' && { accepts: 'binary' as const, bodyBytesMax: formBytesMax }),
    produces: 'text/html; charset=utf-8',
    reply: { 200: text, 303: Empty, 400: text, 401: text, 403: text, 404: text, 429: text, 502: text },
    run: async ({ headers, query, body, url, address, note }, services: PageServices) => {
      const browser = browserOf(services, headers)
      const tokenHash = sessionTokenHash(services, headers)
      const { database, now } = services
      const owner = tokenHash && (await findSessionByToken(database.system, tokenHash, ['browser'], now()))
      if (owner) await noteUse(services, owner)
      note({ outcome: 'none', ...(owner && { actor: actorOf(owner), resourceId: owner.builderId }) })
      const form = method === 'POST' ? await readForm(headers, body as unknown as Readable) : new URLSearchParams()
      const context: PageContext = {
        query: query as Record<string, string | undefined>,
        headers,
        form,
        url,
        address,
        userAgent: headers['user-agent']?.toString(),
        browserSecret: browser.secret,
        device: deviceOf(services, headers),
        resetToken: resetTokenOf(services, headers),
        halfToken: halfTokenOf(services, headers),
        owner,
        formToken: formToken(services, browser.secret, owner?.sessionId),
        note,
      }
      const validForm =
        method === 'GET' ||
        (isSameOrigin(services, headers) && isFormToken(services, form.get('form'), browser.secret, owner?.sessionId))
      const mustEnroll = owner?.lacksSecondFactor && !declaration.beforeSecondFactor
      const answer = !validForm
        ? staleForm
        : mustEnroll
          ? { to: enrollPath(method === 'GET' ? localPath(url) : undefined) }
          : await declaration.run(context, services)
      const setCookies = [
        ...('cookies' in answer ? (answer.cookies ?? []) : []),
        ...(browser.setCookie ? [browser.setCookie] : []),
      ]
      const cookies: Record<string, string[]> = setCookies.length > 0 ? { 'set-cookie': setCookies } : {}
      if ('to' in answer)
        return reply(303, null, { ...pageHeaders, ...answer.headers, ...cookies, location: answer.to })
      return reply(answer.status, answer.text, { ...answer.headers, ...cookies })
    },
  })
}

/** Returns the path of the page that sets up a second factor. */
export function enrollPath(next: string | undefined): string {
  return `/signin/enroll${next === undefined ? '' : `?${new URLSearchParams({ next })}`}`
}

function actorOf({ builderId, email }: SessionOwner) {
  return { kind: 'person', id: builderId, name: email } as const
}

const staleForm = messagePage(
  'This form has expired',
  'You opened it too long ago, before you signed in or out, or in another browser. Nothing was changed. Allow cookies, go back, reload the page and try again.',
  { status: 403, link: { href: '/signin', text: 'Go to the sign-in page' } },
)
