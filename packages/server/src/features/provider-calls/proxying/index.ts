export { proxyDeclaration } from './declaration.ts'
export { createProxy } from './proxy.ts'
