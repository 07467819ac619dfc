<#-- The page /spd: HealthPage gives the values. Everything that is inserted is escaped. -->
<#-- Pixels of a chart, whose axes are given from 0 to 1. -->
<#function across share><#return (70 + 475 * share)?string('0.0')></#function>
<#function down share><#return (200 - 150 * share)?string('0.0')></#function>
<#assign colours =
  ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf', '#8c564b', '#7f7f7f']>
<#function colour line><#return colours[line % colours?size]></#function>
<#escape text as text?xhtml>
<!DOCTYPE html>
<html lang='en'>
<head>
<meta charset='utf-8'>
<meta name='viewport' content='width=device-width'>
<title>SPD layers</title>
<meta http-equiv='refresh' content='5'>
<style>
body { font: 14px sans-serif; margin: 1.5em auto; padding: 0 1em; max-width: 1180px; color: #222; background: #fff; overflow-wrap: anywhere }
h1 { font-size: 1.4em }
table { border-collapse: collapse; margin: 1em 0 }
td, th { padding: .35em .7em; border-bottom: 1px solid #ddd; text-align: right; overflow-wrap: normal }
td:first-child, th:first-child { text-align: left }
.wrong { background: #fdecea; border-left: 4px solid #d62728; padding: .6em 1em; margin: .4em 0 }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 33em), 1fr)); gap: 1em }
svg { width: 100% }
svg .title { font-weight: bold; font-size: 14px }
svg .legend { font-size: 12px }
svg .tick { font-size: 11px; fill: #666 }
svg .grid { stroke: #e4e4e4 }
svg path { fill: none; stroke-width: 1.5 }
@media (max-width: 900px) {
table, tbody { display: block }
tr:first-child { display: none }
tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(6em, 1fr)); gap: .3em; border-bottom: 1px solid #ddd; padding: .4em 0 }
td { border: 0; padding: 0; text-align: left; overflow-wrap: anywhere }
td:first-child { grid-column: 1 / -1; font-weight: bold }
td:empty { display: none }
td + td::before { content: attr(data-name); display: block; color: #666; font-size: .85em }
}
@media (max-width: 500px) {
svg .title { font-size: 19px }
svg .legend { font-size: 16px }
svg .tick { font-size: 14px }
}
@media (prefers-color-scheme: dark) {
:root { color-scheme: dark }
body { color: #e4e6ea; background: #15181c }
a { color: #6cb0ff }
td, th, tr { border-color: #3a3f47 }
.wrong { background: #3a1f1e }
svg { fill: #e4e6ea; filter: brightness(1.3) }
svg .tick, td + td::before { fill: #a5abb5; color: #a5abb5 }
svg .grid { stroke: #3a3f47 }
}
</style>
</head>
<body>
<h1>Health of the SPD layers</h1>
<#if !report??>
<p>No figures yet. Give the network a SpdHealthListener with the storage that is attached to this user interface.</p>
<#else>
<#if (sessions?size > 1)>
<p>Sessions:
<#list sessions as other>
<#if other == session><b>${other}</b><#else><a href='/spd?session=${other?url('UTF-8')}'>${other}</a></#if>
</#list>
</p>
</#if>
<p>Iteration ${report.iteration()}, epoch ${report.epoch()}<#if norm??>, norm of the network's gradient ${norm}</#if></p>
<#list report.warnings() as warning>
<p class='wrong'>${warning}</p>
</#list>
<table>
<tr><th>Layer</th><#list figures as figure><th>${figure.label()}</th></#list></tr>
<#list report.layers() as layer>
<tr><td>${layer.name()} (${layer.type()})</td><#list figures as figure>
<#assign value = layer.get(figure)>
<td data-name='${figure.label()}'><#if value.isPresent()>${figure.format(value.getAsDouble())}</#if></td></#list></tr>
</#list>
</table>
<div class='charts'>
<#list charts as chart>
<#if chart.lines?has_content>
<svg viewBox='0 0 560 230' role='img'>
<text class='title' x='10' y='18'>${chart.title}</text>
<text class='legend' x='10' y='38'>
<#list chart.lines as line><tspan fill='${colour(line_index)}'>— ${line.name}&#160;&#160; </tspan></#list>
</text>
<#list chart.ticks as tick>
<#assign y = down(tick_index / (chart.ticks?size - 1))>
<line class='grid' x1='70' x2='545' y1='${y}' y2='${y}'/>
<text class='tick' text-anchor='end' x='64' y='${y}' dy='4'>${tick}</text>
</#list>
<text class='tick' x='70' y='220'>iteration ${chart.from}</text>
<text class='tick' text-anchor='end' x='545' y='220'>${chart.to}</text>
<#list chart.lines as line>
<#list line.points as point><circle cx='${across(point.x)}' cy='${down(point.y)}' r='2' fill='${colour(line_index)}'/></#list>
<path d='<#list line.points as point>${point.step}${across(point.x)} ${down(point.y)}</#list>' stroke='${colour(line_index)}'/>
</#list>
</svg>
</#if>
</#list>
</div>
</#if>
</body>
</html>
</#escape>
