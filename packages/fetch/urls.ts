export { prefixOf } from './src/site/site-scope.ts'
export { splitLogin } from './src/url-login.ts'
export { webUrl } from './src/web-url.ts'
