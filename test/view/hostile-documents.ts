import { Random } from '../support/random.ts'

/** Ways to run a script or to ask another server, as documents of all kinds try them. `HOST` is where they would ask. */
const VECTORS = [
  '<script>fetch("HOST/x")</script>',
  '<script src="HOST/x.js"></script>',
  '<img src=x onerror="fetch(\'HOST/x\')">',
  '<img src="HOST/x.png">',
  '<svg onload="fetch(\'HOST/x\')"><script>window.ran=1</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>',
  '<iframe src="HOST/x"></iframe>',
  '<iframe srcdoc="<script>parent.ran=1</script>"></iframe>',
  '<object data="HOST/x"></object>',
  '<embed src="HOST/x">',
  '<link rel="stylesheet" href="HOST/x.css">',
  '<link rel="dns-prefetch" href="HOST">',
  '<meta http-equiv="refresh" content="0;url=HOST/x">',
  '<base href="HOST/">',
  '<style>@import "HOST/x.css"; body { background: url(HOST/x) }</style>',
  '<p style="background:url(HOST/x)">styled</p>',
  '<a href="javascript:window.ran=1" autofocus onfocus="window.ran=1">link</a>',
  '<a href="HOST/x" ping="HOST/ping">link</a>',
  '<form action="HOST/x"><input autofocus onfocus="window.ran=1"><button>Go</button></form>',
  '<video src="HOST/x" autoplay onplay="window.ran=1"></video>',
  '<audio src="HOST/x" onerror="window.ran=1"></audio>',
  '<details open ontoggle="window.ran=1"><summary>x</summary></details>',
  '<math><mtext></math><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.ran=1&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=window.ran=1>">',
  '<template><script>window.ran=1</script></template>',
  '<body onload="window.ran=1">',
  '<table background="HOST/x"><tr><td background="HOST/y">cell</td></tr></table>',
  '<div id="markdown" class="skip" name="body">clobbered</div>',
  '![picture](HOST/x.png)',
  '[link](javascript:window.ran=1)',
  '![x][1]\n\n[1]: HOST/x.png',
  '<HOST/autolink>',
  '<!--><script>window.ran=1</script>-->',
  '<![CDATA[<script>window.ran=1</script>]]>',
  '<portal src="HOST/x"></portal>',
  '<marquee onstart="window.ran=1">x</marquee>',
  '<textarea autofocus onfocus=window.ran=1></textarea>',
  '<image src="HOST/x" onerror=window.ran=1>',
] as const

const FRAMES: readonly ((inside: string) => string)[] = [
  (inside) => inside,
  (inside) => `# Title\n\n${inside}\n\nText after it.`,
  (inside) => `| a | b |\n|---|---|\n| ${inside.replaceAll('\n', ' ')} | x |`,
  (inside) => `- item ${inside}\n  - deeper ${inside}`,
  (inside) => `<table><tr><td>${inside}</td></tr></table>`,
  (inside) => `> ${inside}`,
  (inside) => `<div><p>${inside}`,
  (inside) => `</article></body></html>${inside}`,
  (inside) => inside.toUpperCase().replaceAll('HTTP', 'http'),
  (inside) => inside.replaceAll('<', '<\u0000'),
  (inside) => `\`\`\`\n${inside}\n\`\`\`\n${inside}`,
]

/** Documents that try to run a script or to ask `host`, each of one to three ways in one or two frames; replayable. */
export function hostileDocuments(seed: number, count: number, host = 'http://127.0.0.1:9'): readonly string[] {
  const random = new Random(seed)
  return Array.from({ length: count }, (_, at) => {
    const parts = Array.from({ length: 1 + random.below(3) }, () => random.pick(VECTORS))
    // Each way comes up, whatever the dice say.
    const inside = [VECTORS[at % VECTORS.length] ?? '', ...parts].join('\n')
    return random
      .pick(FRAMES)(random.chance(0.3) ? random.pick(FRAMES)(inside) : inside)
      .replaceAll('HOST', host)
  })
}
