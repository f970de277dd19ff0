import { Type } from 'typebox'
import { endpoint, Path, Ref, reply } from '../../../../../kernel/http/index.ts'
import { browserFor } from '../../browser-cookie.ts'
import { connectSessionMinutes } from '../connect-session.ts'
import { formPage } from '../form-page.ts'
import { formTokenOf } from '../form-token.ts'
import { openPage, type PageContextServices } from '../page-context.ts'
import { permissionsPage } from '../permissions-page.ts'

export const showConnectForm = endpoint({
  id: 'showConnectForm',
  method: 'GET',
  path: '//connect/{token}/form',
  access: 'public',
  summary: 'The page on which a customer connects an account, without scripts.',
  description: 'The page of a connect session links to it for browsers without scripts.',
  tag: 'Connections',
  extension: true,
  params: Path({ token: Ref }),
  query: Type.Object({
    with: Type.Optional(Type.String({ description: 'Which way to connect, where the provider has several.' })),
    provider: Type.Optional(Type.String({ description: 'Which provider, where the session has several.' })),
    without: Type.Optional(
      Type.String({ description: 'Any value: continues without the permissions that the account did not grant.' }),
    ),
  }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String(), 404: Type.String() },
  run: async ({ params, query, headers }, services: PageContextServices & { publicUrl: string }) => {
    const { token } = params
    const seen = await openPage(services, token, {
      method: query.with,
      provider: query.provider,
      without: query.without !== undefined,
    })
    if ('page' in seen) return reply(seen.page.status === 404 ? 404 : 200, seen.page.text, seen.page.headers)
    const browser = browserFor(services, headers, connectSessionMinutes)
    const { failure } = seen.session
    const formToken = formTokenOf(token, browser.secret)
    const page = seen.missing
      ? permissionsPage({ ...seen.form, formToken, missing: seen.missing, failure })
      : formPage({
          ...seen.form,
          formToken,
          status: 200,
          ...(failure !== undefined && { faults: new Map([['', failure]]) }),
        })
    return reply(200, page.text, { ...page.headers, 'set-cookie': browser.setCookie })
  },
})
