'use strict';

const element = id => document.getElementById(id);
const SHOWN = 6; // classes before "show all"
let token = sessionStorage.getItem('token');
let limits = null;
let latest = 0; // number of the choice of pictures that counts
let described = 0; // the same of requests for the model
let addresses = []; // of the pictures that are shown

/** What would begin a line or turn the direction of writing, written out; joined letters stay. */
const shown = text => text.replace(/[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu,
  letter => '\\u' + letter.codePointAt(0).toString(16).padStart(4, '0'));

const percent = probability => (100 * probability).toFixed(1) + ' %';

/** An answer in words: no class is said without the doubt about it. */
const words = answer =>
  `${answer.label}, ${percent(answer.probability)}` + (answer.doubt ? ` (${answer.doubt})` : '');

async function ask(path, options = {}) {
  const headers = token ? {Authorization: 'Bearer ' + token} : {};
  const response = await fetch(path, {...options, headers});
  const body = JSON.parse(await response.text(),
    (key, value) => typeof value === 'string' ? shown(value) : value);
  element('access').hidden = response.status !== 401;
  if (!response.ok) {
    throw new Error(response.status === 401 && !token ? 'Enter the token of this server.' : body.error);
  }
  return body;
}

function say(text, wrong = false) {
  element('status').textContent = text;
  element('status').classList.toggle('wrong', wrong);
}

/** Of several at once the last one counts: an earlier one would wipe out what was said since. */
async function describe() {
  const number = ++described;
  try {
    const model = await ask('v1/model');
    if (number !== described) {
      return;
    }
    const parts = [
      [model.method, model.backbone].filter(Boolean).join(' on '),
      model.classes.length + ' classes',
      model.size + ' × ' + model.size + ' pixels'];
    element('model').textContent = parts.filter(Boolean).join(' · ');
    element('model').title = model.classes.join(', ');
    limits = model.limits;
    limits.explains = model.explains;
    say('');
  } catch (failure) {
    if (number === described) {
      say(failure.message, true);
    }
  }
}

/** One after the other, so that the first answers are there while others are on their way. */
async function classify(files) {
  if (!limits) {
    await describe();
    if (!limits) {
      return;
    }
  }
  const number = ++latest;
  element('result').classList.add('old');
  addresses.forEach(URL.revokeObjectURL);
  addresses = files.map(file => URL.createObjectURL(file));
  element('list').replaceChildren();
  element('list').hidden = files.length < 2;
  let failure = '';
  let last = '';
  let doubtful = 0;
  for (let i = 0; i < files.length; i++) {
    const name = shown(files[i].name || 'the picture');
    say((files.length > 1 ? `${i + 1} of ${files.length}: ` : '') + 'Looking at ' + name + ' …');
    let answer = null;
    let problem = '';
    try {
      answer = await answered(files[i]);
    } catch (refused) {
      problem = refused.message;
    }
    if (number !== latest) {
      return;
    }
    if (answer && !last) {
      show(files[i], addresses[i], answer);
    }
    last = answer ? `${name}: ${words(answer)}` : last;
    doubtful += answer?.doubt ? 1 : 0;
    failure = problem ? (files[i].name ? name + ': ' : '') + problem : failure;
    if (files.length > 1) {
      entry(files[i], addresses[i], answer, problem);
    }
  }
  const read = element('list').querySelectorAll('img').length;
  if (files.length > 1) {
    say(
      `${read} of ${files.length} pictures classified` + (doubtful ? `, ${doubtful} of them doubtful` : '')
        + (failure ? '; ' + failure : ''),
      !!failure);
  } else {
    say(failure || last, !!failure);
  }
}

async function answered(file) {
  if (file.size > limits.bytes) {
    throw new Error(
      `This picture has ${Math.ceil(file.size / 2 ** 20)} MB, the server takes ${limits.bytes / 2 ** 20}.`);
  }
  return ask('v1/predict' + (limits.explains ? '?explain=true' : ''), {method: 'POST', body: file});
}

/** A picture in the list, to be shown. */
function entry(file, address, answer, problem) {
  const button = document.createElement('button');
  button.type = 'button';
  const text = document.createElement('span');
  if (answer) {
    const image = document.createElement('img');
    image.src = address;
    image.alt = shown(file.name);
    text.textContent = words(answer);
    button.append(image, text);
    button.onclick = () => {
      show(file, address, answer);
      mark(button);
      say(`${shown(file.name)}: ${text.textContent}`);
    };
  } else {
    text.textContent = `${shown(file.name)}: ${problem}`;
    text.className = 'wrong';
    button.append(text);
    button.disabled = true;
  }
  element('list').append(button);
  if (answer && !element('list').querySelector('[aria-current]')) {
    mark(button);
  }
}

function mark(button) {
  element('list').querySelectorAll('button').forEach(one => one.removeAttribute('aria-current'));
  button.setAttribute('aria-current', 'true');
}

function show(file, address, answer) {
  element('picture').src = address;
  element('picture').alt = shown(file.name || 'The picture');
  element('label').textContent = answer.label;
  element('doubt').textContent = answer.doubt || '';
  element('answer').textContent = answer.label;
  element('time').textContent = `answered in ${Math.round(answer.milliseconds)} ms`;
  list(answer.classes, SHOWN);
  element('explanation').hidden = !answer.attribution;
  draw(answer.attribution);
  element('result').hidden = false;
  element('result').classList.remove('old');
}

function list(classes, most) {
  element('classes').replaceChildren(...classes.slice(0, most).map(one => {
    const row = document.createElement('tr');
    const name = document.createElement('th');
    name.scope = 'row';
    name.textContent = one.label;
    const bar = document.createElement('progress');
    bar.value = one.probability;
    bar.setAttribute('aria-hidden', 'true'); // the number beside it says the same
    name.append(bar);
    row.append(name);
    row.insertCell().textContent = percent(one.probability);
    return row;
  }));
  element('all').hidden = classes.length <= most;
  element('all').textContent = `Show all ${classes.length} classes`;
  element('all').onclick = () => list(classes, classes.length);
}

/** Red where a place spoke for the class, blue against; the stronger the less transparent. */
function draw(attribution) {
  const canvas = element('heat');
  canvas.hidden = !attribution || !element('show').checked;
  if (!attribution) {
    return;
  }
  canvas.height = attribution.length;
  canvas.width = attribution[0].length;
  const values = attribution.flat();
  const largest = Math.max(...values.map(Math.abs), Number.MIN_VALUE);
  const image = new ImageData(canvas.width, canvas.height);
  values.forEach((value, i) => {
    const share = value / largest;
    image.data.set([...(share >= 0 ? [208, 0, 0] : [0, 64, 208]), 200 * Math.abs(share)], 4 * i);
  });
  canvas.getContext('2d').putImageData(image, 0, 0);
}

element('file').addEventListener('change', event => {
  if (event.target.files.length) {
    classify([...event.target.files]);
    event.target.value = ''; // the same one may be chosen again
  }
});
element('picture').addEventListener('load', event => {
  event.target.style.setProperty('--width', event.target.naturalWidth + 'px');
  event.target.style.setProperty('--ratio', event.target.naturalWidth / event.target.naturalHeight);
});
element('show').addEventListener('change', event => {
  element('heat').hidden = !event.target.checked;
});
element('access').addEventListener('submit', event => {
  event.preventDefault();
  token = element('token').value.trim();
  sessionStorage.setItem('token', token);
  describe();
});
for (const kind of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, event => {
    event.preventDefault();
    element('drop').classList.toggle('over', kind === 'dragenter' || kind === 'dragover');
    if (kind === 'drop' && event.dataTransfer.files.length) {
      classify([...event.dataTransfer.files]);
    }
  });
}
document.addEventListener('paste', event => {
  if (event.clipboardData.files.length) {
    classify([...event.clipboardData.files]);
  }
});
element('curl').textContent = `curl --data-binary @picture.jpg ${location.origin}/v1/predict\n`
  + `curl --form image=@picture.jpg ${location.origin}/v1/predict?explain=true\n`
  + `curl --form image=@one.jpg --form image=@two.jpg ${location.origin}/v1/batch`;
describe();
