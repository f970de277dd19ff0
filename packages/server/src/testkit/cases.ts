import type { Endpoint } from '../kernel/http/index.ts'
import type { Shown } from './browser.ts'
import type { Ids } from './tenant.ts'
import type { World } from './world.ts'

/** A request without its method and path. The ids of the tenant fill the path. */
export interface SampleRequest {
  query?: Record<string, string>
  body?: unknown
}

/** A request of one caller. `params` replaces ids of the tenant in the path. */
export interface ExampleRequest extends SampleRequest {
  params?: Record<string, string>
  headers?: Record<string, string>
  /** A body that is not JSON. */
  bytes?: Buffer
  answer?: never
}

/** An exchange that a browser or an event stream has completed. */
export interface Exchange {
  query?: Record<string, string>
  body?: unknown
  answer: { status: number; headers: Headers; text: string }
}

/** A request in the test world. A function creates what the request needs, or completes the exchange itself. */
export type MakeExchange =
  | ExampleRequest
  | ((world: World) => Promise<ExampleRequest | Exchange> | ExampleRequest | Exchange)

/** Callers that an endpoint may treat differently from others that it lets through. */
export type SpecialCaller =
  | 'a consumer of another group'
  | 'a full key of another project'
  | 'a viewer'
  | 'an operator'
  | 'a developer'
  | 'a builder of another organisation'

/** How the tests call one endpoint. They derive who may call it from the table of permissions. */
export interface Cases {
  /**
   * The request that the tests send as each caller, with ids of other tenants and with hostile parts. The default is
   * empty. It must work many times. A DELETE gets ids that do not exist, so that each caller can try.
   */
  request?: SampleRequest | ((ids: Ids, crmUrl: string) => SampleRequest)
  /** The status that a permitted caller gets for `request`. */
  status: number
  /** The status for permitted callers that the endpoint itself treats differently. */
  statusFor?: Partial<Record<SpecialCaller, number>>
  /**
   * The exchange that becomes the example of the API docs. The default is `request` and `status`. It does not depend
   * on other examples: it creates what it deletes.
   */
  example?: { status?: number; request?: MakeExchange }
  /**
   * Only for public endpoints whose `status` is a success: a request that the endpoint refuses. Endpoints that need a
   * credential refuse requests without one.
   */
  refused?: 'never' | { status: number; request: MakeExchange }
  /** No id of a tenant is in the request, although the endpoint needs a credential. */
  namesNoIds?: true
  /** The endpoint creates the group that the request names. */
  createsGroup?: true
  /** A refused request changes rows, because attempts are counted. */
  countsRefusals?: true
  /** Hostile requests get the ids of the spare group, because they would break the installed connection for others. */
  usesSpareGroup?: true
  /** Why this GET writes a row, and why a second request does no harm. */
  writesOnGet?: string
  /** Query parameters with which this GET changes something. */
  unsafeQuery?: string[]
}

export interface EndpointCases extends Cases {
  /** The operationId. */
  id: string
}

/** Declares how the tests call an endpoint. The file is beside the endpoint and has its name: `NAME.cases.ts`. */
export function casesOf(endpoint: Endpoint, cases: Cases): EndpointCases {
  return { id: endpoint.declaration.id, ...cases }
}

/** Returns the exchange that ended with a page in a browser. */
export function shownPage({ status, headers, text }: Shown, query: Record<string, string> = {}): Exchange {
  return { query, answer: { status, headers, text } }
}
