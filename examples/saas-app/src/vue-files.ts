import { createHash } from 'node:crypto'
import type { Plugin } from 'rolldown'
import { compileScript, parse } from 'vue/compiler-sfc'

/** Compiles `.vue` files. In your product, `@vitejs/plugin-vue` does it, with the same `isCustomElement`. */
export function vueFiles(): Plugin {
  return {
    name: 'vue-files',
    transform: {
      filter: { id: /\.vue$/ },
      handler(source, file) {
        const { descriptor, errors } = parse(source, { filename: file })
        for (const error of errors) this.error(error.message)
        const { content } = compileScript(descriptor, {
          id: createHash('sha256').update(file).digest('hex').slice(0, 8),
          inlineTemplate: true,
          templateOptions: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('mortise-') } },
        })
        return { code: content, moduleType: 'js' }
      },
    },
  }
}
