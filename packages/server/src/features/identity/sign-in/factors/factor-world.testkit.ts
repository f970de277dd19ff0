import type { Browser, Shown } from '../../../../testkit/browser.ts'
import type { ExampleRequest } from '../../../../testkit/cases.ts'
import { password, submit, type World } from '../../../../testkit/world.ts'
import { codeAt } from './factors.testkit.ts'

/** People of the test world with factors, for the examples of endpoints. */

interface Prover {
  call<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Adds the credential of the person to a request. */
  request(more?: ExampleRequest): ExampleRequest
}

/** A person who has just proved who they are. */
export async function prover(world: World, email: string): Promise<Prover> {
  const { headers } = await world.builder({ email, password })
  const call = <T>(method: string, path: string, body?: unknown) => world.make<T>(method, path, body, headers)
  await call('POST', '/my-info/proof', { password })
  return { call, request: (more = {}) => ({ ...more, headers }) }
}

/** A person with an authenticator app. */
export async function enrolled(
  world: World,
  email: string,
): Promise<Prover & { factorId: string; recoveryCodes: string[] }> {
  const person = await prover(world, email)
  const { secret } = await person.call<{ secret: string }>('POST', '/my-info/factors:beginTotp')
  const { factor, recoveryCodes } = await person.call<{ factor: { id: string }; recoveryCodes: string[] }>(
    'POST',
    '/my-info/factors:confirmTotp',
    { code: codeAt(secret, world.app.clock.now()), name: 'Phone' },
  )
  return { ...person, factorId: factor.id, recoveryCodes }
}

/** A browser in which a person with an app has entered the password. */
export async function halfSignedIn(
  world: World,
  email: string,
): Promise<{ browser: Browser; recoveryCodes: string[] }> {
  const { recoveryCodes } = await enrolled(world, email)
  const browser = await world.browser()
  await submit(browser, await browser.get('/signin'), { email, password })
  return { browser, recoveryCodes }
}

/** A browser that shows the secret of a new app, and the code of the app. */
export async function enrolling(
  world: World,
  email: string,
): Promise<{ browser: Browser; setup: Shown; code: string }> {
  await world.builder({ email, password })
  const browser = await world.browser()
  await submit(browser, await browser.get('/signin'), { email, password })
  const setup = await submit(browser, await browser.get('/signin/enroll'), { kind: 'totp' })
  const secret = /enter this key: <code>([A-Z2-7 ]+)</.exec(setup.text)?.[1]?.replaceAll(' ', '') ?? ''
  return { browser, setup, code: codeAt(secret, world.app.clock.now()) }
}
