/** Methods of requests that a manifest declares for agents. */
export const toolMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type ToolMethod = (typeof toolMethods)[number]

export type ToolValue = string | number | boolean

/**
 * A request that a manifest declares for agents, in the language of provider files. It cannot name a base URL: the
 * credential goes only to the host of the provider file.
 */
export interface ToolRequest {
  /** `GET` where absent. */
  method?: ToolMethod
  /** Below the base URL of the provider file's objects, starting with `/`. */
  path: string
  /** A list repeats the parameter. */
  query?: Record<string, ToolValue | ToolValue[]>
  headers?: Record<string, string>
  body?: unknown
  /** JSON where absent. */
  encoding?: 'form'
}
