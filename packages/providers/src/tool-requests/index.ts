/** What manifests need to declare requests for agents. Pure: no I/O, and no provider files. */
export { pathFault } from '../catalogue/path-fault.ts'
export { type KnownVariables, lintToolRequest, type ToolRequestFlaw } from './lint-tool-request.ts'
export { type ToolMethod, type ToolRequest, type ToolValue, toolMethods } from './tool-request.ts'
